import { failure, isFailure, readRegularFile, replaceFile, type FailureValue } from "../envelope/index.ts";
import type { ProvisionedFile } from "./files.ts";

/** What was done about a file. */
export interface Outcome {
  readonly path: string;
  readonly state: "written" | "changed" | "unchanged";
}

/**
 * Makes files stand as they must, each in one go. E_USAGE, and nothing is written, when one is there that somebody else
 * wrote; E_CONFIG when one cannot be read or written.
 */
export async function writeProvisioned(
  files: readonly ProvisionedFile[],
): Promise<readonly Outcome[] | FailureValue> {
  const standing: { readonly file: ProvisionedFile; readonly text: string | undefined }[] = [];
  for (const file of files) {
    const text = readIfThere(file.path);
    if (isFailure(text)) return text;
    if (text !== undefined && !file.isOurs(text)) {
      return failure(
        "E_USAGE",
        `${file.path} was not written by \`voxtree provision\`: move it away; what is yours in a docker-compose.yml belongs into docker-compose.override.yml.`,
      );
    }
    standing.push({ file, text });
  }
  const outcomes: Outcome[] = [];
  for (const { file, text } of standing) {
    const { path } = file;
    if (text !== file.text) {
      const refused = await replace(file);
      if (refused) return refused;
    }
    outcomes.push({
      path,
      state: text === file.text ? "unchanged" : text === undefined ? "written" : "changed",
    });
  }
  return outcomes;
}

function readIfThere(path: string): string | undefined | FailureValue {
  try {
    return readRegularFile(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    return failure(
      "E_CONFIG",
      `${path} cannot be read (${code ?? message}): make it readable, or remove it.`,
    );
  }
}

async function replace({ path, text }: ProvisionedFile): Promise<FailureValue | undefined> {
  try {
    await replaceFile(path, text);
    return undefined;
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    return failure("E_CONFIG", `${path} cannot be written (${code}): give its folder to who runs this.`);
  }
}
