// Replies of a program that is not ptybot: each is a PtybotError, for every request. PTYBOT_REPLIES names the list of them.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';

const { attach, PtybotError } = createRequire(import.meta.url)(process.env.PTYBOT_NODE_CLIENT ?? 'ptybot');
const list = process.env.PTYBOT_REPLIES;
const replies = list ? readFileSync(list, 'utf8').trimEnd().split('\n') : [];
const deep = '['.repeat(1e5) + ']'.repeat(1e5);
const requests = [(sim) => sim.get('x'), (sim) => sim.getWord('x'), (sim) => sim.getAll('x'), (sim) => sim.wait('x', 1), (sim) => sim.step(1)];

/** A server that gives one reply to each request, and closes after one without a number. */
function answer(socket, reply) {
  socket.on('error', () => {});
  socket.on('data', (line) => {
    socket.write(`${reply.replace('DEEP', deep).replace('ID', JSON.parse(line).id)}\n`);
    if (!reply.includes('ID'))
      socket.end();
  });
}

for (const reply of replies)
  test(reply, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ptybot-hostile-'));
    const sockets = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      answer(socket, reply);
    });
    await new Promise((resolve) => server.listen(join(folder, 'control'), resolve));
    try {
      for (const request of requests)
        await attach(join(folder, 'control')).then(request).catch((problem) => assert.ok(problem instanceof PtybotError, problem));
    } finally {
      server.close();
      for (const socket of sockets)
        socket.destroy();
      rmSync(folder, { recursive: true });
    }
  });
