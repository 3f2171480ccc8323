import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

const NAME = 'torch-config.json';

/**
 * The configuration of the repository at `root`, or null: `TORCH_CONFIG_PATH`; else the parent's, where
 * the folder is called `torch`; else its own; else the parent's.
 */
export function findConfig(
  root: string,
  env: NodeJS.ProcessEnv,
): { path: string; named: boolean } | null {
  const named = env.TORCH_CONFIG_PATH?.trim();
  if (named) return { path: resolve(root, named), named: true };
  const own = join(root, NAME);
  const parents = join(dirname(root), NAME);
  const order = basename(root) === 'torch' ? [parents, own] : [own, parents];
  const path = order.find((place) => existsSync(place));
  return path === undefined ? null : { path, named: false };
}
