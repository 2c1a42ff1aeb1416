"""Counts tokens by o200k: texts as a JSON list on standard input, their counts as one on standard output.

For the agent's environment: litellm brings the tokenizer's file with it, so that nothing is fetched.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path


def main() -> None:
    """Count."""
    found = importlib.util.find_spec("litellm")
    if found is None or not found.submodule_search_locations:
        raise SystemExit("litellm is not here: run it with the agent's Python")
    folder = Path(next(iter(found.submodule_search_locations))) / "litellm_core_utils" / "tokenizers"
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    import tiktoken

    encoding = tiktoken.get_encoding("o200k_base")
    print(json.dumps([len(encoding.encode(text, disallowed_special=())) for text in json.load(sys.stdin)]))


if __name__ == "__main__":
    main()
