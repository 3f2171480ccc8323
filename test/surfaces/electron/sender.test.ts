import { expect, it } from 'vitest';
import { isFromPanel } from '../../../main/surfaces/electron/sender.ts';

const panel = { url: 'app://lull/index.html#/now' };

it.each([
  ['the panel', panel, panel, true],
  ['a frame inside the panel, though at our address', { ...panel }, panel, false],
  ['a frame that went away', null, panel, false],
  ['a page elsewhere', ...twice({ url: 'https://example.com/' }), false],
  ['a page whose address begins like ours', ...twice({ url: 'app://lull.example.com/' }), false],
  ['a page of another scheme', ...twice({ url: 'file:///app://lull/' }), false],
  ['an empty page', ...twice({ url: 'about:blank' }), false],
])('D10 security 17: %s is heard or not', (_who, senderFrame, mainFrame, heard) => {
  expect(isFromPanel({ sender: { mainFrame }, senderFrame })).toBe(heard);
});

function twice<T>(frame: T): [T, T] {
  return [frame, frame];
}
