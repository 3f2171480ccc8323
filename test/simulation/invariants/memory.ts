import type { ResidentModel } from '../../../main/engine/models/server.ts';
import type { Invariant } from '../invariant.ts';
import type { World } from '../world.ts';

const MOST_MODELS = 2;

/** What hosts load, against what they may. */
export function memoryInvariants(world: World): Invariant[] {
  /** What each server last told the living host: it can know no more. */
  const told = new Map<string, readonly ResidentModel[]>();
  /** What the living host asked to leave, and whether the server's last list was without it. */
  const leaving = new Map<string, { server: string; model: string; gone: boolean }>();
  const budget = () => (world.hosts.config.models.budgetGb ?? Number.POSITIVE_INFINITY) * 1e9;
  const size = (server: string, name: string) =>
    (world.servers.find((one) => one.name === server)?.models.find((one) => one.name === name)
      ?.gb ?? 0) * 1e9;

  return [
    {
      name: 'the RAM ceiling is kept',
      onEffect(effect) {
        if (effect.kind === 'told') told.set(effect.server, effect.models);
        if (effect.kind !== 'load') return;
        const others = [...told].flatMap(([server, models]) =>
          models.filter(({ name }) => !(server === effect.server && name === effect.model)),
        );
        const sum = others.reduce(
          (total, { bytes }) => total + (bytes ?? 0),
          size(effect.server, effect.model),
        );
        if (sum > budget() + 1e6)
          return `${effect.model} is loaded beside ${names(others)}: ${gb(sum)} of ${gb(budget())} GB`;
        if (others.length + 1 > MOST_MODELS)
          return `${effect.model} is loaded as model ${others.length + 1} beside ${names(others)}`;
      },
      onDeath: () => told.clear(),
    },
    {
      name: 'models of others are never unloaded',
      onEffect(effect) {
        if (effect.kind !== 'unload') return;
        const server = world.servers.find(({ name }) => name === effect.server);
        if (server?.resident.get(effect.model)?.by === 'other')
          return `${effect.model} is another program's and is told to leave`;
      },
    },
    {
      name: 'an unload is believed when it is seen',
      onEffect(effect) {
        if (effect.kind === 'told') {
          for (const one of leaving.values())
            if (one.server === effect.server)
              one.gone = effect.models.every(({ name }) => name !== one.model);
        } else if (effect.kind === 'load') {
          leaving.delete(`${effect.server} ${effect.model}`);
        } else if (effect.kind === 'unload') {
          const { server, model } = effect;
          leaving.set(`${server} ${model}`, { server, model, gone: false });
        }
      },
      onLoads(rows) {
        for (const { action, server, model } of rows)
          if (action === 'unload' && !leaving.get(`${server} ${model}`)?.gone)
            return `${model} is written down as unloaded, and ${server} has not shown that it is gone`;
      },
      onDeath: () => leaving.clear(),
    },
  ];
}

const gb = (bytes: number) => (bytes / 1e9).toFixed(1);
const names = (models: readonly ResidentModel[]) => models.map(({ name }) => name).join(' and ');
