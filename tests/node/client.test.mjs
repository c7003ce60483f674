// What a test may ask of the package. ptybot is in PATH, or PTYBOT names it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, openSync, closeSync, readFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { attach, PtybotError, run } from 'ptybot';

const says = (words) => (problem) => problem instanceof PtybotError && problem.message.includes(words);
const drive = Buffer.from('aa550601 04c8000000cb'.replace(' ', ''), 'hex'); // 200 mm/s straight on

test('runs have ports of their own, which go with them', async () => {
  const [one, other] = await Promise.all([run('kobuki'), run('kobuki')]);
  assert.notEqual(one.port('kobuki'), other.port('kobuki.uart'));
  assert.equal(await one.close(), 0);
  assert.ok(!existsSync(one.port('kobuki')));
  assert.ok(existsSync(other.port('kobuki')));
  assert.equal(await other.close(), 0);
});

test('the package has the version of the program', () => run('kobuki', (sim) => {
  const found = createRequire(import.meta.url).resolve('ptybot');
  const { version } = JSON.parse(readFileSync(join(dirname(found), 'package.json'), 'utf8'));
  assert.equal(sim.about.version, version);
}));

test('options go to the command line', () => run('kobuki',
  { seed: 7, link: { kobuki: 'tcp:auto' }, set: { 'kobuki.battery_v': 14 } }, async (sim) => {
    assert.match(sim.port('kobuki'), /^127\.0\.0\.1:\d+$/);
    assert.ok(await sim.get('kobuki.battery_v') < 15); // 16.5 else
  }));

test('a fence waits for the bytes of the host', () => run('kobuki', { lockstep: true }, async (sim) => {
  const port = openSync(sim.port('kobuki'), 'r+');
  for (let i = 1; i <= 3; i++) {
    setTimeout(() => writeSync(port, drive), 50);
    await sim.step(1000, { after: { kobuki: drive.length } });
    assert.equal(await sim.get('kobuki.uart.from_host_bytes'), i * drive.length);
  }
  assert.ok(sim.sent('kobuki') > 50 * 70);
  assert.ok(await sim.get('kobuki.x_m') > 3.2);
  closeSync(port);
}));

test('bytes before a step without a fence count for the next one', () => run('kobuki', { lockstep: true }, async (sim) => {
  const port = openSync(sim.port('kobuki'), 'r+');
  writeSync(port, drive);
  await sim.step(10000, { until: `kobuki.uart.from_host_bytes == ${drive.length}` });
  setTimeout(() => writeSync(port, drive), 100);
  await sim.step(20, { after: { kobuki: 2 * drive.length } });
  assert.equal(await sim.get('kobuki.uart.from_host_bytes'), 2 * drive.length);
  closeSync(port);
}));

test('a pause counts anew', () => run('kobuki', async (sim) => {
  const port = openSync(sim.port('kobuki'), 'r+');
  writeSync(port, drive);
  await sim.wait(`kobuki.uart.from_host_bytes == ${drive.length}`, 60);
  await sim.pause();
  setTimeout(() => writeSync(port, drive), 100);
  await sim.step(20, { after: { kobuki: drive.length } });
  assert.equal(await sim.get('kobuki.uart.from_host_bytes'), 2 * drive.length);
  closeSync(port);
}));

test('a fence for bytes that never come ends, and the run goes on', () => run('kobuki', { lockstep: true }, async (sim) => {
  sim.timeout = 0.2;
  await assert.rejects(sim.step(10, { after: { kobuki: 10 } }), says('no reply for 0.21 s; the step waits for the bytes'));
  sim.timeout = 30;
  await sim.step(10);
  assert.equal(await sim.get('world.time_s'), 0.01);
}));

test('conditions say what was found when they do not come true', () => run('kobuki', { lockstep: true }, async (sim) => {
  await assert.rejects(sim.step(100, { until: 'kobuki.x_m > 100' }), says('did not come true: kobuki.x_m = 3 m'));
  await sim.step(100, { until: 'world.time_s >= 0.15' });
  await sim.wait('kobuki.x_m == 3', 0);
  await assert.rejects(sim.wait('kobuki.x_m == 4', 0), says('kobuki.x_m = 3 m'));
}));

test('a robot is placed and reset', () => run('kobuki', { lockstep: true }, async (sim) => {
  await sim.place('kobuki', 1.25, 0.75, -90);
  assert.deepEqual(await sim.getAll('kobuki.x_m', 'kobuki.y_m', 'kobuki.heading_deg'),
    { 'kobuki.x_m': 1.25, 'kobuki.y_m': 0.75, 'kobuki.heading_deg': -90 });
  await sim.estimate({ x_m: 1.5, turn_deg_s: -2 });
  assert.deepEqual(await sim.getAll('world.estimate_x_m', 'world.estimate_turn_deg_s'),
    { 'world.estimate_x_m': 1.5, 'world.estimate_turn_deg_s': -2 });
  await sim.reset();
  await sim.step(1);
  assert.equal(await sim.get('kobuki.x_m'), 3);
}));

test('errors are the words of the program', () => run('kobuki', async (sim) => {
  await assert.rejects(sim.get('kobuki.x_n'), says("did you mean 'kobuki.x_m'"));
  await assert.rejects(sim.do('kobuki.pres bumper=left'), (problem) =>
    says("did you mean 'press'")(problem) && problem.code === -32000);
  await assert.rejects(sim.getWord('kobuki.x_m'), says('has no text value'));
  assert.equal(await sim.getWord('kobuki.led1'), 'off');
  assert.throws(() => sim.port('kobuk'), says("there is no port 'kobuk'; there are: kobuki.uart"));
}));

test('what cannot be started says why', async () => {
  await assert.rejects(run('kobukki'), says("did you mean 'kobuki'"));
  await assert.rejects(run('kobuki', { program: '/nowhere/ptybot' }), says('install ptybot'));
  await assert.rejects(attach('/nowhere/control.sock'), says('is the simulation running?'));
});

test('a watch brings values until it is left', () => run('kobuki', async (sim) => {
  const times = [];
  for await (const { time_s, values } of sim.watch('kobuki.x_m', 20)) {
    assert.equal(values['kobuki.x_m'], 3);
    if (times.push(time_s) === 3)
      break;
  }
  assert.ok(Math.abs(times[2] - times[0] - 0.04) < 1e-6);
}));

test('who attaches shares the run and leaves it running', () => run('kobuki', { lockstep: true }, async (sim) => {
  await sim.step(100);
  const other = await attach(sim.control);
  await other.step(20);
  assert.equal(await other.close(), 0);
  await sim.step(1);
  assert.ok(Math.abs(await sim.get('world.time_s') - 0.121) < 1e-9);
}));

test('a run that was killed fails and can be closed', async () => {
  const sim = await run('kobuki', { lockstep: true });
  process.kill(sim.about.pid, 'SIGKILL');
  await assert.rejects(sim.step(86400000), says('the run has ended'));
  assert.equal(await sim.close(), -1);
});

test('a run keeps no program alive, and ends with it', () => {
  const text = "import { run } from 'ptybot'; const sim = await run('kobuki'); console.log(sim.about.folder);";
  const folder = execFileSync(process.execPath, ['--input-type=module', '-e', text], { encoding: 'utf8', timeout: 30000 }).trim();
  assert.ok(folder);
  const end = Date.now() + 30000;
  while (existsSync(folder) && Date.now() < end);
  assert.ok(!existsSync(folder));
});

test('require has the same', async () => {
  const ptybot = createRequire(import.meta.url)('ptybot');
  assert.equal(ptybot.run, run);
});
