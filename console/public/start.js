// Runs before the first paint, so that neither a flash of the wrong theme nor of the wrong language is seen.
// A file of its own because the content policy allows no inline script; plain old JavaScript, it is not bundled.
(() => {
  const stored = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null; // storage is forbidden here: the defaults hold
    }
  };
  const root = document.documentElement;
  const language = stored('language');
  const followsSystem = stored('syncOsTheme') === 'true';
  const light = followsSystem
    ? matchMedia('(prefers-color-scheme: light)').matches
    : stored('theme') === 'light';
  root.lang = language === null || language === 'en' ? 'en' : 'zh';
  root.dataset.theme = light ? 'light' : 'dark';
  root.dataset.mantineColorScheme = root.dataset.theme;

  // The program or its sheet did not arrive: the page says so, and loads again when the server answers.
  let waiting = false;
  addEventListener(
    'error',
    ({ target }) => {
      const isProgram = target instanceof HTMLScriptElement;
      const isSheet = target instanceof HTMLLinkElement && target.rel === 'stylesheet';
      if (waiting || !(isProgram || isSheet)) return;
      waiting = true;
      showWaiting();
      retry(isProgram ? target.src : target.href, 1000);
    },
    true,
  );

  function showWaiting() {
    if (!document.body) return addEventListener('DOMContentLoaded', showWaiting);
    const place = document.getElementById('root');
    if (!place || place.firstChild) return; // the program runs
    root.style.colorScheme = root.dataset.theme;
    const text = document.createElement('p');
    text.setAttribute('role', 'status');
    text.style.cssText =
      'font: 16px/1.5 system-ui, sans-serif; margin: 20vh auto; max-width: 32em; padding: 0 1em';
    text.textContent =
      root.lang === 'zh'
        ? '服务器无响应。服务器恢复后，本页面将自动加载。'
        : 'The server is not responding. This page loads when the server responds.';
    place.append(text);
  }

  function retry(address, pauseMs) {
    setTimeout(async () => {
      const status = await fetch(address, { cache: 'reload' }).then(
        (answer) => answer.status,
        () => 503,
      );
      if (status < 500) location.reload();
      else retry(address, Math.min(2 * pauseMs, 10_000));
    }, pauseMs);
  }
})();
