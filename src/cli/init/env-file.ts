import { chmod, realpath, stat } from "node:fs/promises";
import { parseEnv } from "node:util";
import { failure, type FailureValue, readRegularFile, replaceFile } from "../../envelope/index.ts";
import type { SettingName } from "../../settings.ts";

/** A `.env` may hold secrets: it is its owner's alone. */
const PRIVATE = 0o600;

/** What `.env` itself says about a setting; undefined where it says nothing, or is not there. */
export function settingIn(path: string, name: SettingName): string | undefined {
  try {
    return parseEnv(readRegularFile(path))[name] || undefined;
  } catch {
    return undefined; // whether it can be read has been told by whoever loaded the settings
  }
}

/**
 * Writes one setting into `.env`, in one go, and leaves every other line as it stands. Makes the file where there is none;
 * either way nobody but its owner may read it afterwards. `value` needs no quotes. Fails with E_CONFIG.
 */
export async function writeSetting(
  path: string,
  name: SettingName,
  value: string,
): Promise<FailureValue | undefined> {
  try {
    const target = await realpath(path).catch((error: unknown) => {
      if (isMissing(error)) return path;
      throw error;
    });
    const before = readIfThere(target);
    const after = withSetting(before ?? "", `${name}=${value}`);
    if (after === before) {
      if (((await stat(target)).mode & 0o077) !== 0) await chmod(target, PRIVATE);
      return undefined;
    }
    await replaceFile(target, after, PRIVATE);
    return undefined;
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    return failure("E_CONFIG", `${path} cannot be written (${code}): give its folder to who runs this.`);
  }
}

/** In the place of the line that counts, which is the last; else below the line that shows how; else at the end. */
function withSetting(text: string, line: string): string {
  const name = line.slice(0, line.indexOf("="));
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = text.split(/\r?\n/);
  const last = (pattern: RegExp): number => lines.findLastIndex((each) => pattern.test(each));
  const standing = last(new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=`));
  const shown = last(new RegExp(`^#\\s?${name}=`));
  if (standing >= 0) lines[standing] = line;
  else if (shown >= 0) lines.splice(shown + 1, 0, line);
  else if (lines.at(-1) === "") lines.splice(-1, 0, line);
  else lines.push(line);
  if (lines.at(-1) !== "") lines.push("");
  return lines.join(end);
}

function readIfThere(path: string): string | undefined {
  try {
    return readRegularFile(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
