/** Why the command cannot start, as one sentence for the person at the terminal; the exit code is 1, no stack is shown. */
export class StartFailure extends Error {}
