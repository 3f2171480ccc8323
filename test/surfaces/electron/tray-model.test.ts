import { describe, expect, it } from 'vitest';
import { trayImage } from '../../../main/surfaces/electron/tray-image.ts';
import { type TrayInput, trayModel } from '../../../main/surfaces/electron/tray-model.ts';
import { sampleView } from '../../renderer/fixtures.ts';

function viewOf(
  status: Partial<TrayInput['status']>,
  notices: TrayInput['notices'] = [],
): TrayInput {
  const quiet = {
    line: 'Idle',
    paused: { all: null, heavy: null },
    queue: { queued: 0, running: 0, deferred: 0 },
    drafts: { pending: 0 },
  };
  return { status: { ...sampleView().status, ...quiet, ...status }, notices };
}

const PAUSED = { until: null };
const queue = (queued: number, running: number, deferred = 0) => ({ queued, running, deferred });

describe('the icon', () => {
  it.each([
    ['idle', {}],
    ['waiting', { queue: queue(3, 0) }],
    ['waiting', { queue: queue(0, 0, 1) }],
    ['working', { queue: queue(3, 1) }],
    ['needs-you', { drafts: { pending: 1 } }],
    ['needs-you', { drafts: { pending: 1 }, queue: queue(1, 1) }],
    ['needs-you', { drafts: { pending: 1 }, paused: { all: null, heavy: PAUSED } }],
    ['paused', { paused: { all: PAUSED, heavy: null } }],
    [
      'paused',
      { paused: { all: PAUSED, heavy: null }, drafts: { pending: 4 }, queue: queue(1, 1) },
    ],
    ['paused', { paused: { all: null, heavy: PAUSED }, queue: queue(2, 0) }],
    ['working', { paused: { all: null, heavy: PAUSED }, queue: queue(0, 1) }],
  ] as const)('D1 shows %s for %j', (state, status) => {
    expect(trayModel(viewOf(status)).state).toBe(state);
  });

  it('D1 an open notice asks for the owner', () => {
    const notice = {
      id: 1,
      kind: 'disk-full',
      text: 'The disk is full.',
      draft: null,
      count: 1,
      lastAt: 1,
    };
    const model = trayModel(viewOf({}, [notice]));
    expect(model).toMatchObject({ state: 'needs-you', tooltip: 'Idle · 1 notice', count: '' });
  });

  it('D1 counts the drafts and says the one line with them', () => {
    expect(trayModel(viewOf({}))).toMatchObject({ count: '', tooltip: 'Idle' });
    expect(trayModel(viewOf({ drafts: { pending: 1 } }))).toMatchObject({
      count: '1',
      tooltip: 'Idle · 1 draft for you',
    });
    expect(trayModel(viewOf({ drafts: { pending: 10_000 } }))).toMatchObject({
      count: '99+',
      tooltip: 'Idle · 10000 drafts for you',
    });
  });

  it('D1 says that it starts before the host has said anything', () => {
    expect(trayModel(null)).toEqual({ state: 'idle', count: '', tooltip: 'Lull is starting' });
  });

  it('D1 takes the larger template on a tall menu bar, and a picture elsewhere', () => {
    const mac = { platform: 'darwin' as const, dark: true };
    expect(trayImage('/i', 'idle', { ...mac, barHeight: 24 })).toBe('/i/tray-idle-16Template.png');
    expect(trayImage('/i', 'idle', { ...mac, barHeight: 37 })).toBe('/i/tray-idle-18Template.png');
    const linux = { platform: 'linux' as const, barHeight: 0 };
    expect(trayImage('/i', 'paused', { ...linux, dark: true })).toBe('/i/tray-paused-light.png');
    expect(trayImage('/i', 'paused', { ...linux, dark: false })).toBe('/i/tray-paused-colour.png');
  });
});
