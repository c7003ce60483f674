import assert from 'node:assert/strict';
import { openSync, readSync } from 'node:fs';
import test from 'node:test';
import { run } from 'ptybot';

test('a pressed bumper reaches the driver', () => run('kobuki', { lockstep: true }, async (sim) => {
  const port = openSync(sim.port('kobuki'));
  await sim.do('kobuki.press bumper=left');
  await sim.step(100);
  const packet = Buffer.alloc(8);
  readSync(port, packet);
  assert.equal(packet[7], 4);
}));
