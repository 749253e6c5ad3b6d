import pytest
from pages.folders import training_folder


@pytest.fixture(scope="session")
def training(tmp_path_factory):
    return training_folder(tmp_path_factory.mktemp("runs") / "access")
