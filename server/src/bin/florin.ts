#!/usr/bin/env node
/** The only program: `florin --help`. */
import { NOUNS } from './cli/nouns.ts';
import { runProgram } from './program/runProgram.ts';

await runProgram(NOUNS, process.argv.slice(2));
