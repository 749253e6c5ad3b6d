"""What MkDocs calls while it builds the site: see `handbook`."""

from handbook.console import begin_commands_with_dollar
from handbook.expand import expanded
from handbook.formulas import with_formulas
from handbook.live import live_page
from handbook.options import with_whole_options
from handbook.outside import outside_pages, with_links_inside


def on_config(config):
    begin_commands_with_dollar()
    return config


def on_files(files, config):
    """Files of the project that pages link to become pages of the site, and so does the page of `anc play`."""
    for page in (live_page(config), *outside_pages(files, config)):
        files.append(page)
    return files


def on_page_markdown(markdown, page, config, files):
    return with_links_inside(expanded(markdown), page.file.src_uri)


def on_page_content(html, page, config, files):
    return with_whole_options(with_formulas(html))
