"""Names for people. Only their number, 30 and 30, has a part in the numbers of the world."""

GIVEN = (
    "Ada", "Bela", "Chidi", "Dana", "Emre", "Farah", "Goran", "Hana", "Imani", "Jonas",
    "Kaya", "Liang", "Maya", "Nils", "Olga", "Pedro", "Quinn", "Rosa", "Sami", "Tara",
    "Umar", "Vera", "Wen", "Xenia", "Yusuf", "Zoe", "Anton", "Bea", "Carlos", "Dilnoza",
)  # fmt: skip
FAMILY = (
    "Abe", "Baum", "Castro", "Diallo", "Eriksen", "Fontaine", "Gupta", "Horvat", "Ito", "Jensen",
    "Kowalski", "Lopez", "Mori", "Ndlovu", "Okafor", "Petrov", "Quispe", "Rossi", "Sato", "Tran",
    "Ueda", "Varga", "Wagner", "Xu", "Yilmaz", "Zhang", "Amari", "Brandt", "Cho", "Dubois",
)  # fmt: skip


def name(given: int, family: int) -> str:
    """The name with these two numbers, each from 0 to 29."""
    return f"{GIVEN[given]} {FAMILY[family]}"
