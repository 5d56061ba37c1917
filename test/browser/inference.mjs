// SPDX-License-Identifier: BSL-1.0
// Tries the module of docs/browser/inference.cpp in node: inference.mjs MODULE DATA MOST_BYTES
// It has to need nothing, to read the test pictures as well as the program that trained it, and to be small.
import {readFileSync} from "node:fs";
import {gzipSync} from "node:zlib";

const [path, data, most] = process.argv.slice(2);
const bytes = readFileSync(path), compressed = gzipSync(bytes, {level: 9}).length;
const module = new WebAssembly.Module(bytes), imports = WebAssembly.Module.imports(module);
const fail = sentence => { console.error(sentence); process.exit(1); };
if (imports.length) fail(`the module needs ${imports.map(i => i.name).join(", ")}`);
const net = new WebAssembly.Instance(module).exports;
net._initialize();
const images = readFileSync(`${data}/optdigits-images-idx3-ubyte`).subarray(16), labels = readFileSync(`${data}/optdigits-labels-idx1-ubyte`).subarray(8);
const pixels = new Float32Array(net.memory.buffer, net.pixels(), 64);
let right = 0;
for (let sample = 1437; sample < 1797; ++sample) {
  pixels.set(images.subarray(64 * sample, 64 * sample + 64));
  right += net.digit() === labels[sample];
}
console.log(`${right} of 360 right; ${bytes.length} bytes, ${compressed} compressed`);
if (right < 0.86 * 360) fail("expected at least 0.86 of the pictures");
if (compressed > Number(most)) fail(`expected at most ${most} bytes`);
