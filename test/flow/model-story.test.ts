import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DraftDetail, DraftRow, JobDetail, JobRow } from '../../main/surfaces/contract.ts';
import { type HostThere, hostThere, lullHere, testHome, until } from '../support/host.ts';
import { type SeededInventory, seededInventory } from '../support/seeded-inventory.ts';

const SERVER = join(import.meta.dirname, '..', 'support', 'ollama-server', 'main.ts');

const SHOP = `SKU,Name,Unit,On hand,Reorder point,Unit cost
SKU-STRAWBERRY,Strawberry,tubs,1,5,2.75
SKU-VANILLA,Vanilla,tubs,1,8,2.50
`;

/** The test server as a process of its own; its address. */
async function startServer(args: readonly string[]): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [SERVER, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = await once(child.stdout as NodeJS.ReadableStream, 'data');
  return { url: String(line).trim(), child };
}

interface Told {
  home: ReturnType<typeof testHome>;
  host: HostThere;
  inventory: SeededInventory;
  draft: DraftDetail;
  job: JobDetail;
}

/** From a stock file whose numbers a seed invents to the draft, all by the command line. */
async function tell(seed: number, args: readonly string[]): Promise<Told> {
  const { url } = await startServer(args);
  const tiny = { server: 'desk', model: 'tiny:latest', numCtx: 8192 };
  const home = testHome(undefined, {
    currency: 'EUR',
    models: {
      budgetGb: 8,
      servers: [{ name: 'desk', kind: 'ollama', url }],
      tiers: { routine: tiny, synthesis: { ...tiny, model: 'llama3.2:latest' } },
    },
  });
  const inventory = seededInventory(seed);
  const host = await hostThere(home);
  const imported = await lullHere(home, [
    ...['stock', 'import', home.file(inventory.name, inventory.text), '--json'],
  ]);
  expect(imported).toMatchObject({ code: 0, err: '' });
  expect(imported.json()).toMatchObject({ added: inventory.products.length });
  const first = new Date().toISOString();
  const schedule = ['schedule', 'add', 'opening', '--every', '1d', '--first', first];
  const added = await lullHere(home, [...schedule, '--prompt', 'Draft what has to be ordered.']);
  expect(added).toMatchObject({ code: 0, err: '' });
  const [draft] = await until(async () => {
    const found = (await lullHere(home, ['drafts', 'list', '--json'])).json<DraftRow[]>();
    return found.length > 0 && found;
  });
  const show = async <T>(what: string, id: number) =>
    (await lullHere(home, [what, 'show', String(id), '--json'])).json<T>();
  const told = await show<DraftDetail>('drafts', draft?.id ?? 0);
  return { home, host, inventory, draft: told, job: await show('jobs', told.job) };
}

function expectWhatIsNeeded({ draft, job, inventory }: Told): void {
  expect(job).toMatchObject({ state: 'done', kind: 'brief', attempts: 1, error: null });
  expect(draft).toMatchObject({
    ...{ kind: 'order', state: 'pending', currency: 'EUR', model: expect.stringContaining('tiny') },
    totalCents: inventory.needs.reduce((sum, need) => sum + need.totalCents, 0),
  });
  expect(draft.lines).toEqual(
    inventory.needs.map(({ sku, name, unit, needed, unitCostCents, totalCents }) => ({
      ...{ sku, name, unit, quantity: needed, unitCostCents, totalCents },
    })),
  );
}

describe('the main job on a model server, from a file that a seed invents', () => {
  it.each([
    ['whole in a chunk', 'chunk', 11],
    ['a chunk each', 'chunks', 12],
    ['in the last chunk', 'done', 13],
  ])('A6 A5 P4 tool calls %s: the right quantities and amounts', async (_how, shape, seed) => {
    const told = await tell(seed, ['--shape', shape]);
    expectWhatIsNeeded(told);
    const { home, host, draft, inventory } = told;
    const approved = await lullHere(home, ['drafts', 'approve', String(draft.id), '--json']);
    expect(approved.json()).toMatchObject({ outcome: 'applied' });
    const again = await lullHere(home, ['drafts', 'approve', String(draft.id), '--json']);
    expect(again.json()).toMatchObject({ outcome: 'applied' });
    expect(inventory.needs.length).toBeGreaterThan(1);
    expect(await host.stop()).toBe(0);
  });

  it.each([
    ['chunk', 21],
    ['done', 22],
  ])(
    'A4 A5 wrong quantity, unknown SKU and malformed arguments (%s) are refused, the draft is right',
    async (shape, seed) => {
      const wrong = { wrongQuantity: true, unknownSku: true, malformedArguments: true };
      const misstated = 'Together that makes 1.00 EUR.';
      const misbehaviour = JSON.stringify({ ...wrong, misstatedTotal: misstated });
      const told = await tell(seed, ['--shape', shape, '--misbehave', misbehaviour]);
      expectWhatIsNeeded(told);
      const answers = told.draft.transcript
        .filter((message) => message.role.startsWith('tool '))
        .map((message) => message.text);
      const first = told.inventory.needs.find((need) =>
        answers.some((text) => text.includes(`the current need of ${need.sku}: ${need.needed}`)),
      );
      expect(first).toBeDefined();
      expect(answers.join('\n')).toContain('there is no product SKU-NOBODY-SELLS');
      expect(answers.filter((text) => text.includes('"ok":false')).length).toBeGreaterThanOrEqual(
        4,
      );
      expect(told.draft.provenance).not.toContain('1.00');
      expect(await told.host.stop()).toBe(0);
    },
  );

  it.each([
    [
      'A5 a model that misstates the total changes no figure',
      { misstatedTotal: 'That is $15.00.' },
    ],
    ['A4 P5 strawberry is refused in the scope of vanilla', { alsoSku: 'SKU-STRAWBERRY' }],
  ])('%s: seven tubs of vanilla, $17.50', async (_what, misbehaviour) => {
    const { url } = await startServer(['--misbehave', JSON.stringify(misbehaviour)]);
    const home = testHome(undefined, {
      models: {
        budgetGb: 8,
        servers: [{ name: 'desk', kind: 'ollama', url }],
        tiers: { routine: { server: 'desk', model: 'tiny:latest', numCtx: 8192 } },
      },
    });
    const stock = home.file('stock.csv', SHOP);
    await lullHere(home, ['stock', 'import', stock]);
    await lullHere(home, ['watch', 'add', 'vanilla-low', '--sku', 'SKU-VANILLA']);
    await hostThere(home);
    const pending = async () =>
      (await lullHere(home, ['drafts', 'list', '--json'])).json<DraftRow[]>();
    await until(async () => (await pending()).length > 0);
    const draft = (await lullHere(home, ['drafts', 'show', '1', '--json'])).json<DraftDetail>();
    expect(draft).toMatchObject({
      ...{ kind: 'order', subject: 'SKU-VANILLA', totalCents: 1750, currency: 'USD' },
      lines: [{ sku: 'SKU-VANILLA', quantity: 7, unitCostCents: 250, totalCents: 1750 }],
      provenance: expect.stringContaining('Figures come from'),
    });
    const said = draft.transcript.map((message) => message.text).join('\n');
    expect(said).toContain(
      'alsoSku' in misbehaviour ? 'this work concerns SKU-VANILLA only' : 'That is $15.00.',
    );
    expect(await pending()).toHaveLength(1);
  });

  it('A6 P8 a heavy task over a file given with it comes back as a text that says who wrote it', async () => {
    const { url } = await startServer([]);
    const home = testHome(undefined, {
      models: {
        budgetGb: 8,
        servers: [{ name: 'desk', kind: 'ollama', url }],
        tiers: { synthesis: { server: 'desk', model: 'llama3.2:latest', numCtx: 8192 } },
      },
    });
    await hostThere(home);
    const minutes = home.file('minutes.txt', 'Lucy orders spoons on Monday.');
    await lullHere(home, ['add', 'What was decided?', '--files', minutes]);
    const list = async (...args: string[]) => (await lullHere(home, [...args, '--json'])).json();
    await until(async () => ((await list('drafts', 'list')) as DraftRow[]).length > 0);
    const draft = (await lullHere(home, ['drafts', 'show', '1', '--json'])).json<DraftDetail>();
    expect(draft).toMatchObject({
      ...{ kind: 'text', totalCents: null, lines: [] },
      provenance: expect.stringContaining('not checked'),
      text: expect.stringContaining('Lucy orders spoons'),
    });
    expect(((await list('jobs', 'list')) as JobRow[])[0]).toMatchObject({
      ...{ kind: 'task', tier: 'synthesis', state: 'done' },
    });
  });
});
