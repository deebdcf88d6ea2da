// Evaluated before everything else. This file and all scripts keep to syntax and `node:` names that Node 14
// understands, so that an old Node gets as far as printing the sentence below instead of a syntax error.
export const wanted = [20, 19];

export function versionProblem(version) {
  const [major, minor] = version.split('.').map(Number);
  if (major > wanted[0] || (major === wanted[0] && minor >= wanted[1])) return null;
  return `mqdeck needs Node ${wanted.join('.')} or newer, and this is Node ${version}. Get a current one from https://nodejs.org or your package manager.`;
}

const problem = versionProblem(process.versions.node);
if (problem) {
  console.error(problem);
  process.exit(1);
}
