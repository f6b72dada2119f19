"Package metadata, all of it from settings.ini"
from configparser import ConfigParser
from pathlib import Path

from setuptools import find_packages, setup

here = Path(__file__).parent
ini = ConfigParser(delimiters=["="])
ini.read(here / "settings.ini", encoding="utf-8")
cfg = ini["DEFAULT"]
lib = cfg["lib_path"]
status = {"3": "3 - Alpha", "4": "4 - Beta", "5": "5 - Production/Stable"}

setup(
    name=cfg["lib_name"],
    version=cfg["version"],
    description=cfg["description"],
    long_description=(here / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    author=cfg["author"],
    url=cfg["git_url"],
    license={"apache2": "Apache-2.0"}[cfg["license"]],
    keywords=cfg["keywords"].split(),
    classifiers=[
        f"Development Status :: {status[cfg['status']]}",
        f"Intended Audience :: {cfg['audience']}",
        f"Natural Language :: {cfg['language']}",
        "Programming Language :: Python :: 3",
        "Topic :: Scientific/Engineering",
    ],
    packages=find_packages(include=[lib, lib + ".*"]),
    python_requires=">=" + cfg["min_python"],
    install_requires=cfg["requirements"].split(),
    extras_require={name.removesuffix("_requirements"): value.split() for name, value in cfg.items() if name.endswith("_requirements")},
    entry_points={"console_scripts": cfg["console_scripts"].split(), "nbdev": [f"{lib}={lib}._modidx:d"]},
)
