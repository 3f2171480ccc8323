import { setupOf } from '../settings.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../timeline.ts';
import type { World } from '../world.ts';
import { type Actor, nowAndThen } from './actor.ts';
import { MISSED } from './desk.ts';

const SKUS = 8;
const ZONES = ['America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe', 'UTC', 'Asia/Tokyo'];

/** The stock as a file, and the schedules and watches that the owner begins with. */
export const shop: Actor = {
  name: 'shop',
  begin(world, random) {
    const { change } = setupOf(world.seed);
    world.time.after(30 * SECOND, () => void open());

    async function open(): Promise<void> {
      const lines = Array.from({ length: SKUS }, (_, i) => {
        const point = random.whole(4, 12);
        return `SKU-${i + 1},Product ${i + 1},${point + random.whole(0, 10)},${point},2.50`;
      });
      const csv = ['sku,name,on hand,reorder point,unit cost', ...lines, ''].join('\n');
      const content = Buffer.from(csv).toString('base64');
      const imported = await world.hosts.ask('stock.import', { name: 'stock.csv', content });
      // A host that is down, or whose disk is full, is asked again.
      if (!imported?.ok) return void world.time.after(2 * MINUTE, () => void open());
      for (let i = 1; i <= 4; i++)
        await world.hosts.ask('watch.add', { id: `low ${i}`, sku: `SKU-${i}` });
      for (const schedule of schedules()) await world.hosts.ask('schedule.add', schedule);
    }

    function schedules() {
      const first = world.time.wall + random.whole(0, 600) * MINUTE;
      const every = (everySeconds: number) => ({ kind: 'interval', everySeconds, first });
      const cron = (expression: string) => ({ kind: 'cron', expression, zone: random.pick(ZONES) });
      const at = `${random.whole(0, 59)} ${random.whole(0, 6)}`;
      return [
        { id: 'opening', rule: every(86_400), prompt: 'Prepare the opening draft.' },
        {
          id: 'six hours',
          rule: every(21_600),
          prompt: 'Look at the stock.',
          missed: random.pick(MISSED),
        },
        {
          id: 'hourly',
          rule: cron(`${random.whole(0, 59)} * * * *`),
          tier: 'pinned',
          prompt: 'Short look.',
        },
        {
          id: 'night',
          rule: cron(`${at} * * *`),
          tier: 'synthesis',
          prompt: 'Think it over.',
          missed: random.pick(MISSED),
        },
        {
          id: 'gap',
          rule: { ...cron(`${random.whole(0, 59)} ${change.hour} * * *`), zone: change.zone },
          prompt: 'In the hour that is skipped.',
          missed: random.pick(MISSED),
        },
        {
          id: 'weekly',
          rule: cron(`${at} * * ${random.whole(0, 6)}`),
          tier: 'stretch',
          session: 'week',
          prompt: 'The week.',
        },
      ];
    }

    let sales = 0;
    nowAndThen(world, random, 50 * MINUTE, () => {
      sales += 1;
      const delta = -random.whole(1, 3);
      return world.hosts.ask('stock.adjust', event(`sale ${sales}`, delta, 'sale'));
    });
    let deliveries = 0;
    nowAndThen(world, random, 3 * HOUR, async () => {
      deliveries += 1;
      const input = event(`delivery ${deliveries}`, random.whole(4, 14), 'delivery');
      await world.hosts.ask('stock.adjust', input);
      if (random.chance(0.3)) await world.hosts.ask('stock.adjust', input);
    });

    function event(name: string, delta: number, reason: string) {
      return { sku: `SKU-${random.whole(1, SKUS)}`, delta, reason, event: name };
    }
  },
};

/** Busy days: the owner asks for much at once. */
export const rush: Actor = {
  name: 'rush',
  begin(world: World, random) {
    nowAndThen(world, random, 3 * DAY, async () => {
      for (let i = random.whole(5, 18); i > 0; i--)
        await world.hosts.ask('jobs.add', {
          text: `Rush ${i}`,
          tier: random.pick(['routine', 'synthesis', 'pinned']),
          identity: `rush ${world.time.real} ${i}`,
        });
    });
  },
};
