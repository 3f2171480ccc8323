import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished, describe as room } from 'vitest';
import { systemClock } from '../../../main/base/clock.ts';
import { configSchema } from '../../../main/base/config-schema.ts';
import { openModels } from '../../../main/engine/models/models.ts';
import type { DraftDetail, DraftRow } from '../../../main/surfaces/contract.ts';
import { orderBody } from '../../../main/work/agent/draft-body.ts';
import { briefKind } from '../../../main/work/shop/brief.ts';
import { hostThere, lullHere, testHome, until } from '../../support/host.ts';
import type { Misbehaviour } from '../../support/model-server/working-model.ts';
import { startTestServer } from '../../support/ollama-server/server.ts';
import type { Style } from '../../support/openai-server/events.ts';
import {
  FLAVOURS,
  type FlavourName,
  startOpenaiServer,
} from '../../support/openai-server/server.ts';
import { aContext, aJob, landed } from '../../support/scripted-model.ts';
import { SEED, stockOf } from '../../support/seed-stock.ts';
import { temporaryStore } from '../../support/store.ts';

const go = new AbortController().signal;
const QWEN = 'qwen/qwen3-8b';
const KEY = { tier: 'routine', numCtx: 8192 } as const;

/** The opening brief on a server of this kind: what its order says, and by whom. */
async function brief(kind: 'ollama' | 'openai', url: string, model: string) {
  const config = configSchema.parse({
    models: {
      budgetGb: 16,
      servers: [{ name: 'desk', kind, url }],
      tiers: { routine: { server: 'desk', model, numCtx: 8192, memoryGb: 7 } },
    },
  });
  const clock = systemClock();
  const store = await temporaryStore();
  const opened = openModels({ clock, store, config: () => config, totalMemoryBytes: 32e9 });
  const readied = await opened.port.ensure(KEY, go);
  if (!readied.ok) throw new Error(readied.reason);
  const { run } = briefKind({ stock: stockOf(SEED), history: () => [], resources: 'resources' });
  const handle = {
    label: readied.label,
    model: readied.model,
    numCtx: readied.numCtx,
    chat: (request: Parameters<typeof readied.chat>[0]) => readied.chat(request, go),
  };
  const job = aJob({ tier: 'routine', payload: { prompt: 'Prepare the opening draft.' } });
  const { draft } = landed(await run(aContext(job, handle)));
  await opened.close();
  if (!draft) throw new Error('no draft');
  const { lines } = orderBody.parse(draft.body);
  return {
    total: draft.totalCents,
    lines: lines.map((line) => [line.sku, line.quantity, line.totalCents]),
    by: draft.model,
  };
}

const RIGHT = {
  total: 2600,
  lines: [
    ['SKU-STRAWBERRY', 4, 1100],
    ['SKU-VANILLA', 6, 1500],
  ],
};

/** The ways of the model that both kinds of server are given alike. */
const WAYS: Misbehaviour[] = [
  {},
  { wrongQuantity: true, unknownSku: true, malformedArguments: true },
  { misstatedTotal: 'That is $99.00.' },
];

async function onOllama(misbehaviour: Misbehaviour) {
  const server = await startTestServer({ misbehaviour });
  onTestFinished(() => server.close());
  return brief('ollama', server.url, 'llama3.2:latest');
}

async function onOpenai(
  flavour: FlavourName,
  misbehaviour: Misbehaviour,
  style: Partial<Style> = {},
) {
  const server = await startOpenaiServer({ flavour, misbehaviour, style });
  onTestFinished(() => server.close());
  const done = await brief('openai', server.url, QWEN);
  expect(server.log.of('generation-abort')).toEqual([]);
  return done;
}

room('A6 the shop on every model server', () => {
  it.each(WAYS)(
    'A6 A5 the brief comes to the same on Ollama and on every other server: %o',
    async (way) => {
      expect(await onOllama(way)).toEqual({ ...RIGHT, by: 'llama3.2:latest (Ollama (desk))' });
      const titles: Record<FlavourName, string> = {
        'lm-studio': 'LM Studio',
        'lm-studio-v0': 'LM Studio',
        'llama-server': 'llama.cpp',
        'llama-router': 'llama.cpp',
        'llama-swap': 'llama-swap',
        vllm: 'vLLM',
        plain: 'OpenAI-compatible server',
      };
      for (const flavour of FLAVOURS) {
        const by = `${QWEN} (${titles[flavour]} (desk))`;
        expect({ flavour, ...(await onOpenai(flavour, way)) }).toEqual({ flavour, ...RIGHT, by });
      }
    },
  );

  it('A6 A5 and in whatever pieces the answers come', async () => {
    const styles: Partial<Style>[] = [
      { pieces: 'whole', toolFinish: 'stop' },
      { pieces: 'names', lineEnd: '\r\n', pings: true },
      { pieces: 'by-turns', finishWithText: true },
      { whole: true },
    ];
    for (const style of styles) {
      expect(await onOpenai('llama-server', WAYS[1] ?? {}, style)).toMatchObject(RIGHT);
    }
  });

  it('A6 A5 P4 from a stock file to the draft, each a process of its own, LM Studio with a declared figure', async () => {
    const main = join(import.meta.dirname, '..', '..', 'support', 'openai-server', 'main.ts');
    const child = spawn(process.execPath, [main, '--flavour', 'lm-studio'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [line] = await once(child.stdout, 'data');
    const home = testHome(undefined, {
      models: {
        budgetGb: 8,
        servers: [{ name: 'LM Studio', kind: 'openai', url: String(line).trim() }],
        tiers: { routine: { server: 'LM Studio', model: QWEN, numCtx: 8192, memoryGb: 7 } },
      },
    });
    const stock = home.file(
      'stock.csv',
      'SKU,Name,Unit,On hand,Reorder point,Unit cost\nSKU-VANILLA,Vanilla,tubs,2,8,2.50\n',
    );
    await lullHere(home, ['stock', 'import', stock]);
    await lullHere(home, ['watch', 'add', 'vanilla-low', '--sku', 'SKU-VANILLA']);
    const host = await hostThere(home);
    await until(async () => {
      const drafts = (await lullHere(home, ['drafts', 'list', '--json'])).json<DraftRow[]>();
      return drafts.length > 0 && drafts;
    });
    const draft = (await lullHere(home, ['drafts', 'show', '1', '--json'])).json<DraftDetail>();
    expect(draft).toMatchObject({
      ...{ kind: 'order', totalCents: 1500, model: `${QWEN} (LM Studio)` },
      lines: [{ sku: 'SKU-VANILLA', quantity: 6 }],
    });
    expect(await host.stop()).toBe(0);
  });
});
