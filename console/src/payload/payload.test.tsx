import { MantineProvider } from '@mantine/core';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test } from 'vitest';
import { ApiError } from '../api/api-error.ts';
import { setLanguage } from '../i18n/language.ts';
import { watchDownloads } from '../testing/downloads.ts';
import { type MessageQuery, PayloadDialog } from './PayloadDialog.tsx';
import { type PayloadDraft, PayloadInput } from './PayloadInput.tsx';
import { PayloadView } from './PayloadView.tsx';
import { PAYLOAD_SHOWN_MAX } from './payload-formats.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const show = (ui: React.ReactNode) => render(<MantineProvider>{ui}</MantineProvider>);
const shownText = () => document.querySelector('pre')?.textContent;

test('a payload is shown in each format, and markup in it is only text', async () => {
  show(<PayloadView bytes={utf8('<img src=x onerror=alert(1)>')} topic="t" />);
  expect(shownText()).toBe('<img src=x onerror=alert(1)>');
  expect(document.querySelector('img')).toBeNull();
  await userEvent.click(screen.getByRole('radio', { name: 'Base64' }));
  expect(shownText()).toBe('PGltZyBzcmM9eCBvbmVycm9yPWFsZXJ0KDEpPg==');
  await userEvent.click(screen.getByRole('radio', { name: 'Hex' }));
  expect(shownText()).toMatch(/^00000000 {2}3c 69 6d 67/);
  await userEvent.click(screen.getByRole('radio', { name: 'JSON' }));
  expect(screen.getByRole('status').textContent).toBe('Not JSON: line 1, column 1; shown as plaintext');
  expect(shownText()).toBe('<img src=x onerror=alert(1)>');
});

test('the pieces in which a long payload is drawn are together the payload', () => {
  const text = Array.from({ length: 1234 }, (_, i) => `line ${i}`).join('\n');
  show(<PayloadView bytes={utf8(text)} topic="t" />);
  expect(shownText()).toBe(text);
});

test('more than 1 MB is not viewed but can be downloaded, exactly', async () => {
  const downloads = watchDownloads();
  const bytes = new Uint8Array(PAYLOAD_SHOWN_MAX + 1).fill(0xfe);
  show(<PayloadView bytes={bytes} topic="a/b" />);
  screen.getByText('The payload is over 1 MB and cannot be viewed');
  expect(screen.queryByRole('radio')).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Download' }));
  expect(downloads).toMatchObject([{ name: 'a-b.bin', file: { type: 'application/octet-stream' } }]);
  expect(Buffer.compare(new Uint8Array(await downloads[0]!.file.arrayBuffer()), bytes)).toBe(0);
});

test('exactly 1 MB is viewed', () => {
  show(<PayloadView bytes={new Uint8Array(PAYLOAD_SHOWN_MAX).fill(0x61)} topic="t" />);
  expect(shownText()).toHaveLength(PAYLOAD_SHOWN_MAX);
});

test('an empty payload says so', () => {
  show(<PayloadView bytes={utf8('')} topic="t" />);
  screen.getByText('The payload is empty');
  screen.getByText('0 bytes');
});

test('the dialog tells loading, gone, failed and broken apart', () => {
  const dialog = (query: MessageQuery) => (
    <MantineProvider>
      <PayloadDialog topic={'a\u202eb'} query={query} onClose={() => undefined} />
    </MantineProvider>
  );
  const { rerender } = render(dialog({}));
  expect(screen.getByRole('dialog').textContent).toContain('a\\u202eb');
  rerender(dialog({ error: new ApiError({ status: 404, code: 'NOT_FOUND' }) }));
  screen.getByText('This message is no longer there');
  screen.getByText(/Refresh the list/);
  rerender(dialog({ error: new ApiError({ status: 500 }), refetch: () => undefined }));
  screen.getByRole('button', { name: 'Try again' });
  rerender(dialog({ data: { bytes: null, facts: [] } }));
  screen.getByText('The broker sent a payload that is not Base64');
  rerender(
    dialog({
      data: { bytes: utf8('21'), facts: [{ label: 'QoS', value: 1 }], properties: [['k', '\u200b']] },
    }),
  );
  expect(shownText()).toBe('21');
  screen.getByText('\\u200b');
});

test('the dialog gives the focus back to what opened it', async () => {
  function Opener() {
    const [open, setOpen] = useState(false);
    return (
      <MantineProvider>
        <button type="button" onClick={() => setOpen(true)}>
          room/1
        </button>
        {open && (
          <PayloadDialog
            topic="room/1"
            query={{ data: { bytes: utf8('21'), facts: [] } }}
            onClose={() => setOpen(false)}
          />
        )}
      </MantineProvider>
    );
  }
  render(<Opener />);
  const opener = screen.getByRole('button', { name: 'room/1' });
  await userEvent.click(opener);
  const dialog = screen.getByRole('dialog');
  await waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true));
  await userEvent.keyboard('{Escape}');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(document.activeElement).toBe(opener);
});

function Input({ onDraft }: { onDraft?: (draft: PayloadDraft) => void }) {
  const [draft, setDraft] = useState<PayloadDraft>({ text: '', format: 'plaintext' });
  return (
    <PayloadInput
      draft={draft}
      onChange={(next) => {
        setDraft(next);
        onDraft?.(next);
      }}
    />
  );
}

test('another format shows the same bytes', async () => {
  show(<Input />);
  const area = screen.getByLabelText<HTMLTextAreaElement>('Payload');
  await userEvent.type(area, 'hé');
  await userEvent.click(screen.getByRole('radio', { name: 'Hex' }));
  expect(area.value).toBe('68c3a9');
  await userEvent.click(screen.getByRole('radio', { name: 'Base64' }));
  expect(area.value).toBe('aMOp');
  await userEvent.click(screen.getByRole('radio', { name: 'Plaintext' }));
  expect(area.value).toBe('hé');
});

test('what is wrong stands beside the field once it was left', async () => {
  show(<Input />);
  await userEvent.click(screen.getByRole('radio', { name: 'Hex' }));
  const area = screen.getByLabelText<HTMLTextAreaElement>('Payload');
  await userEvent.type(area, 'de a');
  expect(screen.queryByRole('alert')).toBeNull();
  await userEvent.tab();
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toBe('Half a byte at position 4: hex digits come in pairs');
  expect(area.getAttribute('aria-describedby')).toBe(alert.id);
  setLanguage('zh');
  await waitFor(() => expect(alert.textContent).toBe('第 4 个字符处只有半个字节：十六进制数字须成对出现'));
});

test('bytes that are no text stay in the format that can hold them', async () => {
  show(<Input />);
  await userEvent.click(screen.getByRole('radio', { name: 'Hex' }));
  const area = screen.getByLabelText<HTMLTextAreaElement>('Payload');
  await userEvent.type(area, 'ff00');
  await userEvent.click(screen.getByRole('radio', { name: 'Plaintext' }));
  expect(screen.getByRole('alert').textContent).toContain('cannot be written as Plaintext');
  expect(area.value).toBe('ff00');
  expect(screen.getByRole<HTMLInputElement>('radio', { name: 'Hex' }).checked).toBe(true);
});
