import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin, type ProxyOptions } from 'vite';

const target = 'http://127.0.0.1:18083';

/** `/mqtt` is a page as well as the broker's WebSocket: whoever wants HTML gets the page. */
const mqttSocket: ProxyOptions = {
  target,
  ws: true,
  bypass: (request) => (request.headers.accept?.includes('text/html') ? '/index.html' : undefined),
};

/**
 * Every sheet says the order of the layers first: which sheet a browser meets first depends on how chunks were cut, and
 * the first mention of a layer decides who wins.
 */
const layerOrder: Plugin = {
  name: 'layer-order',
  enforce: 'pre',
  transform: (code, id) =>
    /\.css(\?|$)/.test(id) && !/[?&](raw|url)\b/.test(id)
      ? `@layer mantine, app, quiet;\n${code}`
      : undefined,
};

export default defineConfig({
  base: './', // the server writes the real prefix into index.html, so one build serves every prefix
  plugins: [react(), layerOrder],
  build: {
    manifest: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // Each group takes what its first module imports, but not what it loads later: few requests, nothing twice.
        codeSplitting: {
          groups: [
            {
              name: 'base',
              test: /rolldown\/runtime|console\/src\/App\.tsx$|LoginPage\.tsx$|node_modules\/react-dom\//,
              priority: 4,
            },
            { name: 'shell', test: /console\/src\/shell\/Shell\.tsx$/, priority: 3 },
            // Small things that nearly every page needs: alone, each would cost a request and its headers.
            {
              name: 'kit',
              test: /console\/src\/(api\/use-|ui\/(Copyable|EmptyState|ErrorState|Facts|Page|RelativeTime|Skeleton|State|copy-text|format))|contract\/src\/(metrics|monitor|nodes|subscriptions|alarms)|console\/src\/charts\/(BarMeter|Sparkline)/,
              priority: 2,
            },
          ],
        },
      },
    },
  },
  server: {
    proxy: {
      '/api/v5': { target },
      '/api-docs': { target },
      '/status': { target },
      '/console.json': { target },
      '/mqtt': mqttSocket,
    },
  },
});
