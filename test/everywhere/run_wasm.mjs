// SPDX-License-Identifier: BSL-1.0
// Runs a program for wasm32-wasi: node run_wasm.mjs PROGRAM
import { readFileSync } from 'fs';
import { WASI } from 'wasi';
const wasi = new WASI({ version: 'preview1', args: process.argv.slice(2), env: {}, preopens: { '/': '.' } });
const code = await WebAssembly.compile(readFileSync(process.argv[2]));
const instance = await WebAssembly.instantiate(code, { wasi_snapshot_preview1: wasi.wasiImport });
process.exit(wasi.start(instance));
