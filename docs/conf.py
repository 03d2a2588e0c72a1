"""Sphinx: `make docs` builds these pages into docs/_build/html, every warning an error."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

import xarr

project = "xarr"
author = "The xarr developers"
copyright = "The xarr developers"
version = release = xarr.__version__

extensions = ["myst_parser", "sphinx_copybutton", "directives", "pages"]
exclude_patterns = ["_build"]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
# Names between single backticks in docstrings are links where there is such a name.
default_role = "py:obj"
add_function_parentheses = False
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = "xarr"
templates_path = ["_templates"]
html_favicon = "_static/favicon.svg"
html_static_path = ["_static"]
html_css_files = ["tables.css"]
html_search_scorer = str(Path(__file__).parent / "scorer.js")

# The button copies what can be run: no prompts, and no output.
copybutton_prompt_text = r">>> |\.\.\. ?|\$ "
copybutton_prompt_is_regexp = True
