import { createTheme, type VariantColorsResolver } from '@mantine/core';

const line = '1px solid';

/** Only two colours reach a control: the accent, and red for what cannot be undone. Mantine's palette stays unused. */
const variantColorResolver: VariantColorsResolver = ({ color, variant }) => {
  const danger = color === 'red';
  const neutral = color === 'gray';
  const strong = danger ? 'var(--bad)' : neutral ? 'var(--text-secondary)' : 'var(--accent)';
  const soft = danger ? 'var(--bad-soft)' : neutral ? 'var(--hover)' : 'var(--accent-soft)';
  switch (variant) {
    case 'filled':
      return {
        background: strong,
        hover: danger ? 'var(--bad-hover)' : neutral ? 'var(--text-secondary)' : 'var(--accent-hover)',
        color: danger ? 'var(--on-bad)' : neutral ? 'var(--panel)' : 'var(--on-accent)',
        border: `${line} transparent`,
      };
    case 'light':
      return { background: soft, hover: soft, color: strong, border: `${line} transparent` };
    case 'outline':
      return { background: 'transparent', hover: soft, color: strong, border: `${line} ${strong}` };
    case 'subtle':
      return {
        background: 'transparent',
        hover: danger ? soft : 'var(--hover)',
        color: strong,
        border: `${line} transparent`,
      };
    case 'transparent':
      return {
        background: 'transparent',
        hover: 'transparent',
        color: strong,
        border: `${line} transparent`,
      };
    default:
      return {
        background: 'var(--raised)',
        hover: 'var(--hover)',
        color: danger ? 'var(--bad)' : 'var(--text)',
        border: `${line} var(--line-strong)`,
      };
  }
};

const small = { defaultProps: { size: 'xs' } };

/** Mantine draws a dialog's head as `<header>`, which outside `main` would be a second banner of the page. */
const notBanner = { header: { role: 'presentation' } };

const dialog = {
  title: { fontSize: 'var(--size-section)', fontWeight: 'var(--weight-strong)', overflowWrap: 'anywhere' },
  overlay: { background: 'var(--veil)' },
} as const;

/**
 * Everything here avoids a `<style>` element, which the content policy forbids: no scroll lock (it injects one; the
 * shell's `main` scrolls anyway), no responsive props. Components are named by text, so none is loaded from here.
 */
export const theme = createTheme({
  primaryColor: 'blue',
  defaultRadius: 'md',
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  variantColorResolver,
  components: {
    Button: { defaultProps: { size: 'xs', variant: 'default' } },
    ActionIcon: { defaultProps: { size: 30, variant: 'subtle', color: 'gray' } },
    TextInput: small,
    PasswordInput: small,
    NumberInput: small,
    Textarea: small,
    Select: small,
    NativeSelect: small,
    MultiSelect: small,
    Autocomplete: small,
    TagsInput: small,
    JsonInput: small,
    FileInput: small,
    PillsInput: small,
    Input: small,
    InputWrapper: {
      ...small,
      styles: {
        label: {
          marginBottom: 4,
          color: 'var(--text-secondary)',
          fontSize: 'var(--size-label)',
          fontWeight: 'var(--weight-strong)',
        },
        description: { color: 'var(--text-secondary)', fontSize: 'var(--size-label)' },
        error: { fontSize: 'var(--size-label)' },
      },
    },
    Checkbox: { defaultProps: { size: 'xs' } },
    Radio: { defaultProps: { size: 'xs' } },
    Switch: {
      defaultProps: { size: 'sm', withThumbIndicator: false },
      classNames: { track: 'switch-track' }, // base.css draws its edge
    },
    SegmentedControl: { defaultProps: { size: 'xs' } },
    Menu: {
      // The placeholder would be a child that no menu may have.
      defaultProps: { shadow: 'md', transitionProps: { duration: 0 }, withInitialFocusPlaceholder: false },
    },
    Popover: { defaultProps: { shadow: 'md', transitionProps: { duration: 0 } } },
    Combobox: { defaultProps: { shadow: 'md', transitionProps: { duration: 0 } } },
    Tooltip: {
      defaultProps: {
        openDelay: 250,
        withArrow: false,
        transitionProps: { duration: 0 },
        events: { hover: true, focus: true, touch: false },
      },
    },
    Modal: {
      defaultProps: {
        lockScroll: false,
        centered: true,
        transitionProps: { duration: 120 },
        attributes: notBanner,
      },
      styles: { ...dialog, content: { border: '1px solid var(--line-strong)', background: 'var(--panel)' } },
    },
    ModalRoot: { defaultProps: { lockScroll: false, transitionProps: { duration: 120 } } },
    Drawer: {
      defaultProps: {
        lockScroll: false,
        position: 'right',
        transitionProps: { duration: 120 },
        attributes: notBanner,
      },
      styles: dialog,
    },
  },
});
