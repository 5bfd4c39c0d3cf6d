// All agents in one process, with nothing between them: `node bench/local-main.ts`.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBenchTree } from "./bench-tree.ts";
import { measureFlow } from "./measure.ts";

const dataDir = mkdtempSync(join(tmpdir(), "voxtree-bench-"));
const tree = await openBenchTree({ dataDir });
const figures = await measureFlow(tree.ask, { sequential: 2000, inFlight: 200, total: 20_000 });
await tree.close();
rmSync(dataDir, { recursive: true, force: true });
process.stdout.write(`${JSON.stringify(figures)}\n`);
