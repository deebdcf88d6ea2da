import './theme/tokens.css';
import './theme/mantine-variables.css';
import './theme/mantine-login.css';
import './theme/base.css';
import { MantineProvider } from '@mantine/core';
import { Outlet } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { callsInProgressBar, onInFlightChange } from './api/in-flight.ts';
import { useShownTheme } from './preferences.ts';
import { theme } from './theme/theme.ts';
import { Confirms } from './ui/Confirms.tsx';
import { ProgressBar } from './ui/ProgressBar.tsx';
import { Toasts } from './ui/Toasts.tsx';

/** Around everything, the login included: the theme, the toasts, the questions, the line of progress. */
export function App() {
  const shownTheme = useShownTheme();
  const calls = useSyncExternalStore(onInFlightChange, callsInProgressBar);
  return (
    <MantineProvider
      theme={theme}
      forceColorScheme={shownTheme}
      withCssVariables={false}
      withGlobalClasses={false}
      withStaticClasses={false}
    >
      <ProgressBar active={calls > 0} />
      <Outlet />
      <Toasts />
      <Confirms />
    </MantineProvider>
  );
}
