import { run, attach, Run, PtybotError, About } from 'ptybot';

async function test(): Promise<number> {
  const sim: Run = await run('kobuki', { lockstep: true, seed: 3, set: { 'kobuki.battery_v': 14 } });
  const port: string = sim.port('kobuki');
  await sim.do('kobuki.press bumper=left');
  await sim.step(20, { after: { kobuki: 10 }, until: 'kobuki.x_m > 1' });
  const x: number | null = await sim.get('kobuki.x_m');
  for await (const { values, texts } of sim.watch(['kobuki.*'], 20))
    if ((values['kobuki.x_m'] ?? 0) > 1 || texts?.['kobuki.led1'] === 'green')
      break;
  const about: About = sim.about;
  const moved = await run('kobuki', async (other) => (await other.get('kobuki.x_m')) ?? 0);
  const same: string = await run('kobuki', {}, () => 'text');
  await (await attach()).close();
  // @ts-expect-error a step is a number of milliseconds
  await sim.step('20');
  // @ts-expect-error a run is made by run() or attach()
  new Run();
  if (x === null || same === port)
    throw new PtybotError(about.name);
  return moved + (await sim.close());
}
test().catch((problem: PtybotError) => console.error(problem.code));
