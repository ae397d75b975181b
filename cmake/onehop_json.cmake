# nlohmann/json is used by its headers only, none of which is installed. It comes from the package
# nlohmann-json of PyPI, which `make` and pip put beside CMake, or from the distribution.
include_guard(GLOBAL)

if(NOT ONEHOP_JSON_INCLUDE)
  find_program(ONEHOP_PYTHON NAMES python3 HINTS ${Python_ROOT_DIR}/bin)
  foreach(python IN ITEMS ${Python_EXECUTABLE} ${ONEHOP_PYTHON})
    execute_process(
      COMMAND ${python} -c "import nlohmann_json as j; print(j.__path__[0] + '/include')"
      OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE packaged ERROR_QUIET)
    list(APPEND folders ${packaged})
  endforeach()
  file(GLOB made LIST_DIRECTORIES true
       ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nlohmann_json/include)
  find_path(ONEHOP_JSON_INCLUDE nlohmann/json.hpp HINTS ${folders} ${made})
endif()
if(NOT ONEHOP_JSON_INCLUDE)
  message(
    FATAL_ERROR
      "nlohmann/json.hpp was not found: run `make .venv/stamps/tools`, or `pip install nlohmann-json`, "
      "or install it (Debian, Ubuntu: apt install nlohmann-json3-dev), or set ONEHOP_JSON_INCLUDE")
endif()
