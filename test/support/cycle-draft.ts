import type { NewDraft } from '../../main/base/store/drafts.ts';
import type { CycleBody } from '../../main/work/roster/draft-body.ts';
import { textDraft } from './desk.ts';
import { commitFiles, git } from './git-repository.ts';

/** A run that ended on a branch of its own, one commit from `main`. */
export function ranOn(
  repository: string,
  files: Record<string, string>,
  branch = 'lull/test/1',
): CycleBody {
  const base = git(repository, 'rev-parse', 'main');
  git(repository, 'switch', '--quiet', '--create', branch, 'main');
  const head = commitFiles(repository, files, 'By the agent');
  git(repository, 'switch', '--quiet', 'main');
  const changed = Object.keys(files).map((path) => ({ path, added: 1, removed: 1 }));
  return {
    repository,
    root: repository,
    cadence: 'daily',
    agent: 'docs-agent',
    status: 'completed',
    reason: 'Scheduler cycle completed successfully',
    detail: null,
    target: 'main',
    branch,
    base,
    head,
    changes: {
      files: changed,
      total: { files: changed.length, added: changed.length, removed: changed.length },
      patch: git(repository, 'diff', base, head),
      patchCut: false,
    },
    log: '# Scheduler completed',
    learnings: 'The docs were short.',
    provenance: 'Made by the agent docs-agent.',
    steps: { count: 0, millis: 60_000, tools: [] },
  };
}

export function cycleDraft(job: number, body: CycleBody, over: Partial<NewDraft> = {}): NewDraft {
  return {
    ...textDraft(job, ''),
    kind: 'cycle',
    title: 'docs-agent: 2 files changed',
    subject: body.repository,
    topic: `cycle:${body.repository}:${body.agent}`,
    body,
    model: null,
    ...over,
  };
}
