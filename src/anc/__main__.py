"""`python -m anc`: the command line where no script is on the path."""

from anc.commands.main import main

if __name__ == "__main__":
    main("python -m anc")
