import { expect, test } from "vitest";
import { findFreeNames } from "../../src/catalog/free-names.ts";
import { readSource } from "../../src/catalog/source.ts";
import { createProjectFolder } from "../support/project-folder.ts";

async function freeNames(text: string): Promise<string[]> {
  await using folder = await createProjectFolder({ "x.ts": text });
  const read = await readSource(`${folder.dir}/x.ts`);
  if ("unreadable" in read) throw new Error(read.unreadable);
  return findFreeNames(read.source).map(({ name }) => name);
}

test.each([
  ["process.exit();"],
  ["const x = { process };"],
  ["const x = { [process]: 1 };"],
  ["const { a = process } = {};"],
  ["const { [process]: a } = {};"],
  ["({ a: process } = {});"],
  ["[process] = [];"],
  ["for (process of []) {}"],
  ["class A { [process] = 1; }"],
  ["class A { x = process; }"],
  ["class A { static { process; } }"],
  ["class A extends process {}"],
  ["const x = process as unknown; "],
  ["const x = process!;"],
  ["const x = `${process}`;"],
  ["typeof process;"],
  ["export { process };"],
  ["export default process;"],
  // What binds the name does so elsewhere, later in another scope, or only for types.
  ["{ const process = 1; } process;"],
  ["function f() { const process = 1; } process;"],
  ["function f(a = process) { var process = 1; }"],
  ["{ function process() {} } process;"],
  ["(function process() {}); process;"],
  ["(class process {}); process;"],
  ["try {} catch (process) {} process;"],
  ["for (const process of []) {} process;"],
  ["switch (process) { case 1: const process = 1; }"],
  ["class A { static { var process = 1; } } process;"],
  ["declare const process: unknown; process;"],
  ["declare function process(): void; process;"],
  ["declare class process {} process;"],
  ['import type { process } from "x"; process;'],
  ['import { type process } from "x"; process;'],
  ["interface process {} process;"],
  ["type process = 1; process;"],
])("a free use is seen: %s", async (text) => {
  expect(await freeNames(text)).toEqual(["process"]);
});

test.each([
  ["const process = 1; process;"],
  ["process; var process = 1;"],
  ["process(); function process() {}"],
  ["{ process; { var process = 1; } }"],
  ["const f = (process: number) => process;"],
  ["function f({ a: { process } }: never) { return process; }"],
  ["function f(...process: never[]) { return () => process; }"],
  ["(function process() { process(); });"],
  ["class process {} new process();"],
  ["(class process { x = process; });"],
  ["try {} catch ({ process }) { process; }"],
  ["for (const process of []) process;"],
  ["for (let process = 0; process < 1; process++) {}"],
  ["switch (1) { case 1: const process = 1; default: process; }"],
  ['import process from "x"; process;'],
  ['import * as process from "x"; process;'],
  ['import { a as process } from "x"; process;'],
  ['export { process } from "x";'],
  ['export * as process from "x";'],
  ["const a = 1; a.process;"],
  ["const a = 1; a?.process;"],
  ["const a = { process: 1, process() {} };"],
  ["class A { process = 1; #process = 2; process() {} }"],
  ["const { process: a } = { process: 1 }; a;"],
  ["process: for (;;) { break process; }"],
  ["let x: typeof process;"],
  ["let x: process.Y<process>;"],
  ["function f(x: unknown): x is process { return true; }"],
  ["function f<process>(x: process) { return x as process; }"],
  ["const a = 1; export { a as process };"],
])("a bound name, a property, a label or a type is no free use: %s", async (text) => {
  expect(await freeNames(text)).toEqual([]);
});
