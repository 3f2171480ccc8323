import { runGit } from './git.ts';

const OWN = { name: 'Lull', email: 'lull@localhost' };

/** Who commits: the owner, as git knows them in that folder; Lull itself where git knows nobody. */
export async function identity(cwd: string): Promise<Record<string, string>> {
  const known = async (key: string) => (await runGit(cwd, ['config', '--get', key])).code === 0;
  if ((await known('user.name')) && (await known('user.email'))) return {};
  return {
    GIT_AUTHOR_NAME: OWN.name,
    GIT_AUTHOR_EMAIL: OWN.email,
    GIT_COMMITTER_NAME: OWN.name,
    GIT_COMMITTER_EMAIL: OWN.email,
  };
}
