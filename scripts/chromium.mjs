// Finds a Chromium for the browser tests, or installs Debian's. `node scripts/chromium.mjs` prints its path.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Failure, main, start } from './run.mjs';

const namesOnPath = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
];
const fixedPlaces = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  'C:/Program Files/Google/Chrome/Application/chrome.exe',
  'C:/Program Files (x86)/Google/Chrome/Application/chrome.exe',
  'C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe',
];

function isFile(file) {
  try {
    return fs.statSync(file).isFile();
  } catch {
    return false; // absent or unreadable is the same here: not a browser to use
  }
}

function onPath(name) {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const folders = (process.env.PATH || '').split(path.delimiter).filter(Boolean);
  return folders.map((folder) => path.join(folder, name + suffix)).find(isFile);
}

/** The newest Chromium that some Playwright has downloaded for this user. */
function inPlaywrightCache() {
  const home = os.homedir();
  const cache =
    process.env.PLAYWRIGHT_BROWSERS_PATH ||
    {
      darwin: path.join(home, 'Library/Caches/ms-playwright'),
      win32: path.join(process.env.LOCALAPPDATA || home, 'ms-playwright'),
    }[process.platform] ||
    path.join(home, '.cache/ms-playwright');
  if (!fs.existsSync(cache)) return undefined;
  const revision = (name) => Number(name.slice('chromium-'.length));
  const inside = [
    'chrome-linux64/chrome',
    'chrome-linux/chrome',
    'chrome-win64/chrome.exe',
    'chrome-win/chrome.exe',
    'chrome-mac/Chromium.app/Contents/MacOS/Chromium',
    'chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing',
    'chrome-mac-x64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing',
  ];
  return fs
    .readdirSync(cache)
    .filter((name) => /^chromium-\d+$/.test(name))
    .sort((a, b) => revision(b) - revision(a))
    .reduce((all, name) => all.concat(inside.map((file) => path.join(cache, name, file))), [])
    .find(isFile);
}

function find() {
  return namesOnPath.map(onPath).find(Boolean) || fixedPlaces.find(isFile) || inPlaywrightCache();
}

/** Ubuntu's package of that name is only a pointer to a snap, so this is for Debian proper. */
function canInstall() {
  if (typeof process.getuid !== 'function' || process.getuid() !== 0 || !onPath('apt-get')) return false;
  return isFile('/etc/os-release') && /^ID=debian$/m.test(fs.readFileSync('/etc/os-release', 'utf8'));
}

async function install() {
  const options = {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: Object.assign({}, process.env, { DEBIAN_FRONTEND: 'noninteractive' }),
  };
  console.error('Installing Chromium and a Chinese font with apt-get (once) …');
  await start('apt-get', ['update', '-qq'], options).done; // stale lists may still do, so its code does not matter
  // Without the font, Chinese screenshots are boxes.
  const packages = ['chromium', 'fonts-noto-cjk'];
  await start('apt-get', ['install', '-y', '-qq', '--no-install-recommends'].concat(packages), options).done;
}

/** The path of a Chromium; throws a Failure with advice when there is none and none can be installed. */
export async function findChromium() {
  const given = process.env.CHROMIUM_PATH;
  if (given) {
    if (isFile(given)) return given;
    throw new Failure(`CHROMIUM_PATH names ${given}, and there is no such file.`);
  }
  let found = find();
  if (!found && canInstall()) {
    await install();
    found = find();
  }
  if (found) return found;
  throw new Failure(
    'No Chromium, Chrome or Edge was found. Install one, or set CHROMIUM_PATH to its program file.',
  );
}

main(import.meta.url, async () => {
  console.log(await findChromium());
});
