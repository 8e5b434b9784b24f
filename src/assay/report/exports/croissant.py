"""Describes a suite's tasks as a data set in the metadata format Croissant 1.0 of MLCommons."""

from __future__ import annotations

import json
from typing import Any

from assay import __version__
from assay.report.exports.crate import RELEASED
from assay.report.results import SuiteResults
from assay.tables.schema import Schema
from assay.tables.schemas.tasks import TASKS

TYPES = {"string": "sc:Text", "int64": "sc:Integer", "float64": "sc:Float", "bool": "sc:Boolean"}

CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def croissant(suite: SuiteResults) -> str:
    """The JSON-LD text that describes the file `tasks.csv` in the same folder."""
    file = "tasks.csv"
    value = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": f"assay-{suite.name}-tasks",
        "description": f"The tasks of the suite {suite.name}. {suite.room.ABOUT}",
        "license": "https://www.apache.org/licenses/LICENSE-2.0",
        "creator": {"@type": "sc:Organization", "name": "The Assay developers"},
        "datePublished": RELEASED,
        "version": __version__,
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": file,
                "name": file,
                "contentUrl": file,
                "encodingFormat": "text/csv",
                "sha256": suite.tasks_sha256,
            }
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "tasks",
                "name": "tasks",
                "key": [{"@id": f"tasks/{name}"} for name in TASKS.key],
                "field": [_field(name, TASKS, file) for name in TASKS.names],
            }
        ],
    }
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def _field(name: str, schema: Schema, file: str) -> dict[str, Any]:
    column = schema.column(name)
    return {
        "@type": "cr:Field",
        "@id": f"tasks/{name}",
        "name": name,
        "description": column.doc,
        "dataType": TYPES[column.type],
        "source": {"fileObject": {"@id": file}, "extract": {"column": name}},
    }
