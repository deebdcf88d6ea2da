// Programs on this machine, and Debian's packages for those that are missing.
import fs from 'node:fs';
import path from 'node:path';
import { start } from './run.mjs';

export function isFile(file) {
  try {
    return fs.statSync(file).isFile();
  } catch {
    return false; // absent or unreadable is the same here: not a program to use
  }
}

/** The path of a program that the PATH leads to. */
export function onPath(name) {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const folders = (process.env.PATH || '').split(path.delimiter).filter(Boolean);
  return folders.map((folder) => path.join(folder, name + suffix)).find(isFile);
}

/** Ubuntu's packages of browsers are only pointers to snaps, so this is for Debian proper. */
export function canInstall() {
  if (typeof process.getuid !== 'function' || process.getuid() !== 0 || !onPath('apt-get')) return false;
  return isFile('/etc/os-release') && /^ID=debian$/m.test(fs.readFileSync('/etc/os-release', 'utf8'));
}

/** Whether it went well shows in what is there afterwards. */
export async function install(packages) {
  const options = {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: Object.assign({}, process.env, { DEBIAN_FRONTEND: 'noninteractive' }),
  };
  await start('apt-get', ['update', '-qq'], options).done; // stale lists may still do, so its code does not matter
  await start('apt-get', ['install', '-y', '-qq', '--no-install-recommends'].concat(packages), options).done;
}
