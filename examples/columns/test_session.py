from session import LOG, connect, requests


def test_paths_and_parameters():
    frame = requests(str(LOG))
    assert len(frame) == 20
    paths = frame["path"].to_list()
    assert "/каталог/книги" in paths
    # A row that can't be decoded to text keeps its escapes.
    assert "/files/%c0%ae%c0%ae/" in paths
    assert frame["words"].drop_nulls().to_list() == ["война и мир", "war and peace", "c++ templates"]


def test_sql():
    connection = connect(str(LOG))
    rows = connection.sql("SELECT path FROM requests WHERE pct_decode(target) LIKE '/authors/%'").fetchall()
    assert rows == [("/authors/Gabriel García Márquez",)]
