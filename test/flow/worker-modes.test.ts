import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JobRow } from '../../main/surfaces/contract.ts';
import {
  AWAY,
  hostThere,
  lullHere,
  rowsIn,
  type TestHome,
  testHome,
  until,
} from '../support/host.ts';

const STOCK = `sku,name,on hand,reorder point,unit cost
JAR-L,Large jar,4,6,1.20
JAR-S,Small jar,9,10,0.80
LID,Lid,40,10,0.05
`;

/** A shortage, two mornings of one session, and a task over a file; what they leave, without times. */
async function story(home: TestHome) {
  const notes = home.file('notes.txt', 'Large jars come from the mill.\n');
  const host = await hostThere(home, {
    args: ['--facts', home.factsFile, '--model', 'offline'],
  });
  const say = async (...words: string[]) => {
    const said = await lullHere(home, words);
    expect(said).toMatchObject({ code: 0, err: '' });
  };
  const finished = (count: number) =>
    until(async () => {
      const jobs = (await lullHere(home, ['jobs', 'list', '--json'])).json<JobRow[]>();
      return jobs.length === count && jobs.every((job) => job.finishedAt !== null);
    }, 60_000);
  const first = new Date(Date.now() - 60_000).toISOString();
  const morning = (id: string) =>
    say(
      'schedule',
      'add',
      id,
      ...['--prompt', `What is short, ${id}?`, '--session', 'shop'],
      ...['--every', '1d', '--first', first],
    );
  await say('stock', 'import', home.file('stock.csv', STOCK));
  await say('watch', 'add', 'jars', '--sku', 'JAR-L');
  await finished(1);
  await say('add', 'What do the notes say?', '--files', notes);
  await finished(2);
  await morning('monday');
  await finished(3);
  await morning('tuesday');
  await finished(4);
  expect(await host.stop()).toBe(0);

  const timeless = (text: string) =>
    JSON.parse(text.replaceAll(/"millis":\d+/g, '"millis":0').replaceAll(notes, 'NOTES'));
  const parsed = (sql: string) =>
    rowsIn<{ json: string }>(home, sql).map(({ json }) => timeless(json));
  return {
    jobs: rowsIn(home, 'SELECT kind, state, result, error, attempts FROM jobs ORDER BY id'),
    drafts: parsed(
      `SELECT json_array(job, kind, state, title, subject, topic, total_cents, currency, model, json(body))
       AS json FROM drafts ORDER BY id`,
    ),
    transcripts: parsed(
      `SELECT json_array(job, claim_no, status, model, json(messages), json(usage)) AS json
       FROM transcripts ORDER BY job`,
    ),
    session: rowsIn(home, 'SELECT session, job, prompt, result FROM session_results ORDER BY id'),
  };
}

const logOf = (home: TestHome) =>
  readdirSync(home.logs)
    .map((name) => readFileSync(join(home.logs, name), 'utf8'))
    .join('');

it('S4 both kinds of work do in a worker process what they do in the host', {
  timeout: 180_000,
}, async () => {
  const inHost = testHome(AWAY);
  const inWorker = testHome(AWAY, { workers: { mode: { brief: 'worker', task: 'worker' } } });
  const here = await story(inHost);
  const there = await story(inWorker);
  expect(here.jobs.map((job) => (job as { state: string }).state)).toEqual(Array(4).fill('done'));
  expect(JSON.stringify(here.transcripts)).toContain('What is short, monday?');
  expect(there).toEqual(here);
  expect(logOf(inHost)).not.toContain('a worker started');
  expect(logOf(inWorker).match(/a worker started/g)).toHaveLength(4);
});
