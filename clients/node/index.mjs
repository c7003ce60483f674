import ptybot from './index.js';

export const { run, attach, Run, PtybotError } = ptybot;
