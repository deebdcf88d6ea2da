// Finds a Chromium for the browser tests, or installs Debian's. `node scripts/chromium.mjs` prints its path.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { canInstall, install, isFile, onPath } from './debian.mjs';
import { Failure, main } from './run.mjs';

/** The shell first: the same engine without the windows of a desktop, which a test never sees, starts and draws faster. */
const namesOnPath = [
  'chromium-headless-shell',
  'chrome-headless-shell',
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

/** The path of a Chromium; throws a Failure with advice when there is none and none can be installed. */
export async function findChromium() {
  const given = process.env.CHROMIUM_PATH;
  if (given) {
    if (isFile(given)) return given;
    throw new Failure(`CHROMIUM_PATH names ${given}, and there is no such file.`);
  }
  let found = find();
  if (!found && canInstall()) {
    console.error('Installing Chromium and a Chinese font with apt-get (once) …');
    await install(['chromium-headless-shell', 'fonts-noto-cjk']); // without the font, Chinese screenshots are boxes
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
