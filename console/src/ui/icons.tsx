import { Drawing, type DrawingProps } from './Drawing.tsx';

export type IconProps = Omit<DrawingProps, 'shapes'>;

function icon(...shapes: string[]) {
  return function Icon(props: IconProps) {
    return <Drawing shapes={shapes} {...props} />;
  };
}

const ring = (cx: number, cy: number, r: number) =>
  `M${cx - r} ${cy}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;

// Navigation
export const IconOverview = icon('M4 20V10M10 20V4M16 20v-8M4 20h17');
export const IconConnections = icon(
  ring(6, 12, 2.5),
  ring(18, 6, 2.5),
  ring(18, 18, 2.5),
  'M8.3 11l7.4-4M8.3 13l7.4 4',
);
export const IconSubscriptions = icon('M4 7h11M12 4l3 3-3 3M20 17H9M12 14l-3 3 3 3');
export const IconRetained = icon('M5 4h14v16l-7-4-7 4z');
export const IconAlarm = icon('M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4');
export const IconKey = icon(ring(8, 15, 4), 'M11 12l8-8M16 7l3 3');
export const IconShield = icon('M12 3l8 3v6c0 4.5-3.4 7.6-8 9-4.6-1.4-8-4.5-8-9V6z', 'M9 12l2 2 4-4');
export const IconBan = icon(ring(12, 12, 8.5), 'M6 6l12 12');
export const IconRules = icon('M4 6h7M4 12h5M4 18h7', 'M14 15l3 3 4-6');
export const IconBridge = icon('M3 17h18M6 17V8M18 17V8M6 8c2 4 10 4 12 0M12 11v6');
export const IconFlow = icon('M3 4h6v5H3zM15 15h6v5h-6z', 'M6 9v4a4 4 0 0 0 4 4h5');
export const IconListener = icon(
  ring(12, 9, 2),
  'M12 11v10M7.5 13.500a6.4 6.4 0 0 1 0-9M16.5 4.500a6.4 6.4 0 0 1 0 9',
);
export const IconMqtt = icon('M4 20v-3a3 3 0 0 1 3 3M4 12a8 8 0 0 1 8 8M4 6.500A13.5 13.5 0 0 1 17.5 20');
export const IconLimiter = icon('M4 17a8.5 8.5 0 1 1 16 0M12 15l4-5');
export const IconLog = icon('M5 3h10l4 4v14H5zM9 9h3M9 13h6M9 17h6');
export const IconMonitoring = icon('M3 12h4l3-7 4 14 3-7h4');
export const IconGateway = icon('M4 5h16v6H4zM4 15h16v4H4zM8 8h.01M8 17h.01M12 8h4');
export const IconHook = icon('M12 3v9a4.5 4.5 0 1 1-9 0M12 12a4.5 4.5 0 0 0 9 0M9 6h6');
export const IconPlugin = icon('M9 3v4M15 3v4M6 7h12v5a6 6 0 0 1-12 0zM12 18v3');
export const IconTerminal = icon('M3 5h18v14H3zM7 10l3 2.500L7 15M12 15h5');
export const IconRoute = icon(
  ring(5, 18, 2),
  ring(19, 6, 2),
  'M7 18h8a3.500 3.500 0 0 0 0-7H9a3.500 3.500 0 0 1 0-7h8',
);
export const IconTree = icon('M5 4v14h6M5 11h6', ring(14, 11, 2), ring(14, 18, 2), 'M3 4h4');
export const IconTopic = icon('M9 4L7 20M17 4l-2 16M4 9h16M3.5 15h16');
export const IconSlow = icon(ring(12, 13, 7.5), 'M12 9v4l3 2M9.5 2.500h5');
export const IconTrace = icon(ring(10, 10, 6), 'M14.5 14.500L20 20M7.5 10h1.500l1-2 1.5 4 .8-2h.7');
export const IconUsers = icon(
  ring(9, 8, 3.5),
  'M3 20a6 6 0 0 1 12 0M16 5a3.5 3.5 0 0 1 0 6.500M17.5 14.500A6 6 0 0 1 21 20',
);
export const IconUser = icon(ring(12, 8, 3.8), 'M5 20a7 7 0 0 1 14 0');
export const IconApiKey = icon('M4 7h16v10H4zM8 12h.01M12 12h.01M16 12h.01');
export const IconAudit = icon('M8 3h8v4H8zM6 5H5v16h14V5h-1', 'M9 14l2 2 4-5');
export const IconBackup = icon('M4 5h16v4H4zM6 9v10h12V9M10 13h4');
export const IconSettings = icon(
  ring(12, 12, 3),
  'M12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.600l2.1 2.100M16.3 16.300l2.1 2.100M5.6 18.400l2.1-2.100M16.3 7.700l2.1-2.1',
);
export const IconHelp = icon(
  ring(12, 12, 8.5),
  'M9.5 9.500a2.5 2.5 0 1 1 3.5 2.300c-.7.3-1 .8-1 1.700M12 16.500h.01',
);
export const IconNode = icon('M4 4h16v7H4zM4 13h16v7H4zM8 7.500h.01M8 16.500h.01');

// Groups
export const IconDiagnose = icon('M8 3v5a4 4 0 0 0 8 0V3M12 12v3a4 4 0 0 0 8 0v-1', ring(20, 12, 1.6));
export const IconSystem = icon('M4 7h9M17 7h3M4 17h3M11 17h9', ring(15, 7, 2), ring(9, 17, 2));
export const IconManagement = icon('M4 6h16M4 12h16M4 18h16M8 4v4M16 10v4M10 16v4');
export const IconIntegration = icon('M4 12h5M15 12h5M9 8v8h6V8z');

// States
export const IconGood = icon(ring(12, 12, 8.5), 'M8.5 12l2.5 2.5 4.5-5');
export const IconBad = icon(ring(12, 12, 8.5), 'M9 9l6 6M15 9l-6 6');
export const IconWarn = icon('M12 4l9 16H3zM12 10v4M12 17h.01');
export const IconOff = icon(ring(12, 12, 8.5), 'M8 12h8');
export const IconBusy = icon('M12 3.500a8.5 8.5 0 1 0 8.5 8.5', 'M12 8v4l2.5 2');
export const IconUneven = icon(ring(12, 12, 8.5), 'M8 10h8M8 14h8M14 8l-4 8');
export const IconStopped = icon(ring(12, 12, 8.5), 'M9.5 9.500h5v5h-5z');
export const IconInfo = icon(ring(12, 12, 8.5), 'M12 11v5M12 8h.01');

// Deeds
export const IconSearch = icon(ring(10.5, 10.5, 6.5), 'M15.5 15.500L21 21');
export const IconClose = icon('M6 6l12 12M18 6L6 18');
export const IconCheck = icon('M5 12.500l4.5 4.500L19 7');
export const IconCopy = icon('M8 8h12v12H8zM4 16V4h12');
export const IconRefresh = icon('M20 12a8 8 0 1 1-2.3-5.700L20 8.500M20 4v4.500h-4.5');
export const IconPause = icon('M8 5v14M16 5v14');
export const IconPlay = icon('M7 4.500l12 7.5-12 7.500z');
export const IconPlus = icon('M12 5v14M5 12h14');
export const IconMinus = icon('M5 12h14');
export const IconFit = icon('M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5');
export const IconEdit = icon('M4 20h4L19 9l-4-4L4 16zM13 7l4 4');
export const IconTrash = icon('M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5');
export const IconDownload = icon('M12 4v11M7.5 10.500L12 15l4.5-4.500M4 20h16');
export const IconUpload = icon('M12 15V4M7.5 8.500L12 4l4.5 4.500M4 20h16');
export const IconFilter = icon('M4 5h16l-6 7.500V19l-4-2v-4.500z');
export const IconColumns = icon('M4 5h16v14H4zM10 5v14M15 5v14');
export const IconMore = icon(ring(5, 12, 0.8), ring(12, 12, 0.8), ring(19, 12, 0.8));
export const IconGrip = icon(
  ring(9, 6, 0.6),
  ring(15, 6, 0.6),
  ring(9, 12, 0.6),
  ring(15, 12, 0.6),
  ring(9, 18, 0.6),
  ring(15, 18, 0.6),
);
export const IconChevronDown = icon('M6 9.500l6 6 6-6');
export const IconChevronUp = icon('M6 14.500l6-6 6 6');
export const IconChevronLeft = icon('M14.5 6l-6 6 6 6');
export const IconChevronRight = icon('M9.5 6l6 6-6 6');
export const IconBarOpen = icon('M6 6l6 6-6 6M13 6l6 6-6 6');
export const IconBarClose = icon('M18 6l-6 6 6 6M11 6l-6 6 6 6');
export const IconArrowUp = icon('M12 19V5M6 11l6-6 6 6');
export const IconArrowDown = icon('M12 5v14M6 13l6 6 6-6');
export const IconMenu = icon('M4 7h16M4 12h16M4 17h16');
export const IconEye = icon(
  'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z',
  ring(12, 12, 2.8),
);
export const IconEyeOff = icon(
  'M4 4l16 16M9.8 5.800A9.5 9.5 0 0 1 12 5.500c6 0 9.5 6.5 9.5 6.500a16 16 0 0 1-3 3.700M6 7.500A16 16 0 0 0 2.5 12S6 18.5 12 18.500a9 9 0 0 0 4-.9',
);
export const IconExternal = icon('M14 4h6v6M20 4l-9 9M18 14v6H4V6h6');
export const IconKick = icon('M10 4H5v16h5M14 8l4 4-4 4M18 12H9');
export const IconSun = icon(
  ring(12, 12, 3.8),
  'M12 2.500v2M12 19.500v2M2.5 12h2M19.5 12h2M5.3 5.300l1.4 1.400M17.3 17.300l1.4 1.400M5.3 18.700l1.4-1.400M17.3 6.700l1.4-1.4',
);
export const IconMoon = icon('M20 14.500A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.500z');
export const IconSignOut = icon('M10 4H5v16h5M14 8l4 4-4 4M18 12H9');
export const IconKeyboard = icon('M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M8 14h8');
