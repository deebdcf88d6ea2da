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
})();
