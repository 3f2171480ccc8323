import { type Failure, failure, ok, type Result } from '../../base/errors.ts';
import type { Scrubber } from '../../base/scrubber.ts';
import { readSecretFile, type StoredSecret, writeSecretFile } from '../../base/secret-file.ts';
import type { Seal } from './seal.ts';

/** A secret without its value. */
export interface SecretHead {
  name: string;
  /** Where its value is: under the keychain's seal, or readable in the owner's own file. */
  kept: 'keychain' | 'file';
  /** Epoch ms. */
  setAt: number;
}

/** Where the owner's secrets are kept. Values leave it by `read` alone, and only the broker reads. */
export interface Vault {
  list(): Result<SecretHead[]>;
  /** Keeps a value under a name; one that was there is replaced. */
  set(name: string, value: string): Promise<Result<SecretHead>>;
  remove(name: string): Result<SecretHead>;
  read(name: string): Promise<Result<string>>;
  /** Brings what lies open under the seal, where there is one; returns how many. */
  sealOpen(): Promise<number>;
}

export interface VaultParts {
  /** secrets.json. */
  readonly file: string;
  readonly now: () => number;
  readonly seal: Seal | null;
  readonly scrubber: Scrubber;
}

/** The file is read anew each time: a command without a host may have changed it. */
export function openVault({ file, now, seal, scrubber }: VaultParts): Vault {
  async function closed(name: string, value: string): Promise<StoredSecret> {
    const setAt = now();
    if (!seal || !(await seal.available())) return { name, value, seal: 'none', setAt };
    return { name, value: await seal.seal(value), seal: 'keychain', setAt };
  }

  /** Reading, changing and writing in one go, so that two calls cannot undo each other. */
  function change(work: (secrets: StoredSecret[]) => StoredSecret[]): Failure | null {
    const read = readSecretFile(file);
    if (!read.ok) return read;
    return writeSecretFile(
      file,
      work(read.value).sort((a, b) => (a.name < b.name ? -1 : 1)),
    );
  }

  function find(name: string): Result<StoredSecret> {
    const read = readSecretFile(file);
    if (!read.ok) return read;
    const found = read.value.find((one) => one.name === name);
    if (found) return ok(found);
    return failure(
      'not_found',
      `there is no secret "${name}"`,
      `set it with: lull secret set ${name}`,
    );
  }

  const others = (name: string) => (one: StoredSecret) => one.name !== name;

  return {
    list() {
      const read = readSecretFile(file);
      return read.ok ? ok(read.value.map(head)) : read;
    },
    async set(name, value) {
      scrubber.add(name, value);
      const stored = await closed(name, value);
      return change((secrets) => [...secrets.filter(others(name)), stored]) ?? ok(head(stored));
    },
    remove(name) {
      const found = find(name);
      if (!found.ok) return found;
      return change((secrets) => secrets.filter(others(name))) ?? ok(head(found.value));
    },
    async read(name) {
      const found = find(name);
      if (!found.ok) return found;
      const opened = await open(found.value, seal);
      if (opened.ok) scrubber.add(name, opened.value);
      return opened;
    },
    async sealOpen() {
      const read = readSecretFile(file);
      const bare = read.ok ? read.value.filter((one) => one.seal === 'none') : [];
      if (bare.length === 0 || !(await seal?.available())) return 0;
      let sealed = 0;
      for (const one of bare) {
        scrubber.add(one.name, one.value);
        const now = { ...(await closed(one.name, one.value)), setAt: one.setAt };
        // Unless it was changed meanwhile.
        const same = (other: StoredSecret) => other.name === one.name && other.value === one.value;
        const fault = change((secrets) => secrets.map((each) => (same(each) ? now : each)));
        if (fault) return sealed;
        sealed += 1;
      }
      return sealed;
    },
  };
}

async function open(stored: StoredSecret, seal: Seal | null): Promise<Result<string>> {
  if (stored.seal === 'none') return ok(stored.value);
  const again = `set it again with: lull secret set ${stored.name}`;
  if (!seal) {
    const where = 'is under the keychain, which only the desktop app can open';
    return failure('refused', `the secret "${stored.name}" ${where}`, again);
  }
  try {
    return ok(await seal.open(stored.value));
  } catch {
    return failure('refused', `the keychain did not open the secret "${stored.name}"`, again);
  }
}

function head({ name, seal, setAt }: StoredSecret): SecretHead {
  return { name, kept: seal === 'keychain' ? 'keychain' : 'file', setAt };
}
