"""Fixed reply times of live sessions.

Some worlds simulate, and how long a simulation takes depends on its parameters: whoever times the replies
could learn what is hidden. The room `world` of such a suite has a function `reply_seconds(task)`, which says
after how many seconds from its call a charged result of each tool is passed on. A result that takes longer
is passed on at the next multiple of this time, so that even a late one tells no more than how many multiples
it took. Builds and replays never wait.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from assay.protocol import Call, Json, Result
from assay.suite import Suite
from assay.task import Task


@dataclass
class Pace:
    """Passes on results after the time that the world asks for.

    Attributes:
        seconds: The time of each tool, from the call to the result; tools that are missing are not delayed.
        late: The number of results that took longer than this time, so that the number of its multiples may
            have told something.
    """

    seconds: Mapping[str, float]
    late: int = field(default=0, init=False)

    @classmethod
    def of(cls, suite: Suite, task: Task) -> Pace:
        """Return the pace of a task, which is none in suites without `reply_seconds`."""
        declared = getattr(suite.room("world"), "reply_seconds", None)
        return cls({} if declared is None else declared(task))

    def call(self, call: Call, tool: str, arguments: Json, live: Callable[[], bool] = lambda: True) -> Result:
        """Carry out a call and wait until its time has come; refused calls are not delayed.

        Args:
            call: The harness.
            tool: The name of the tool.
            arguments: Its arguments.
            live: Tells whether anybody is waiting for this result; a repetition of a recording does not wait.
        """
        start = time.monotonic()
        result = call(tool, arguments)
        if result.ok and result.charged and tool in self.seconds and live():
            period, passed = self.seconds[tool], time.monotonic() - start
            periods = max(1, math.ceil(passed / period))
            self.late += periods > 1
            time.sleep(max(0.0, periods * period - passed))  # rounding can leave a little less than nothing
        return result
