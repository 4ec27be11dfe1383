#include "cli/run.h"

int main(int argc, char** argv) { return shardcheck::cli::run(argc, argv); }
