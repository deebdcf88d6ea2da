import { defineWords, type Words } from '../i18n/words.ts';
import { visibleText } from '../ui/visible-text.ts';
import type { PayloadFault } from './payload-formats.ts';

export const words = defineWords({
  payload: { en: 'Payload', zh: 'Payload' },
  format: { en: 'Payload format', zh: 'Payload 格式' },
  plaintext: { en: 'Plaintext', zh: '纯文本' },
  base64: { en: 'Base64', zh: 'Base64' },
  json: { en: 'JSON', zh: 'JSON' },
  hex: { en: 'Hex', zh: 'Hex' },
  sizeExact: { en: '{size} ({bytes} {bytes|byte|bytes})', zh: '{size}（{bytes} 字节）' },
  sizeBytes: { en: '{bytes} {bytes|byte|bytes}', zh: '{bytes} 字节' },
  copy: { en: 'Copy', zh: '复制' },
  copied: { en: 'Payload copied', zh: '已复制 Payload' },
  copyFailed: { en: 'The browser refused to copy', zh: '浏览器拒绝了复制' },
  download: { en: 'Download', zh: '下载' },
  empty: { en: 'The payload is empty', zh: 'Payload 为空' },
  tooLarge: { en: 'The payload is over 1 MB and cannot be viewed', zh: 'Payload 超过 1 MB，无法查看' },
  tooLargeHint: { en: 'Download it to look at it.', zh: '可下载后查看。' },
  region: { en: 'Payload as {format}', zh: 'Payload（{format}）' },
  close: { en: 'Close', zh: '关闭' },
  gone: { en: 'This message is no longer there', zh: '该消息已不存在' },
  goneWhy: {
    en: 'It was delivered, dropped or deleted, or it has expired. Refresh the list to see what is there now.',
    zh: '该消息可能已被投递、丢弃、删除或已过期，请刷新列表查看现有消息。',
  },
  broken: {
    en: 'The broker sent a payload that is not Base64',
    zh: 'Broker 返回的 Payload 不是有效的 Base64',
  },
  properties: { en: '{count} user {count|property|properties}', zh: '{count} 个用户属性' },
  copyTopic: { en: 'Copy the topic {topic}', zh: '复制主题 {topic}' },
  notUtf8: { en: 'Not UTF-8 text from byte {offset} on', zh: '从第 {offset} 字节起不是 UTF-8 文本' },
  shownPlain: { en: '{reason}; shown as plaintext', zh: '{reason}，以纯文本显示' },
  notJson: { en: 'Not JSON: line {line}, column {column}', zh: '不是 JSON：第 {line} 行第 {column} 列' },
  jsonEnds: {
    en: 'Not JSON: it ends too early, in line {line}, column {column}',
    zh: '不是 JSON：在第 {line} 行第 {column} 列提前结束',
  },
  notHex: {
    en: '“{character}” at position {position} is not a hex digit',
    zh: '第 {position} 个字符“{character}”不是十六进制数字',
  },
  hexHalf: {
    en: 'Half a byte at position {position}: hex digits come in pairs',
    zh: '第 {position} 个字符处只有半个字节：十六进制数字须成对出现',
  },
  notBase64: {
    en: '“{character}” at position {position} does not belong into Base64',
    zh: '第 {position} 个字符“{character}”不属于 Base64',
  },
  base64Ends: {
    en: 'Base64 ends too early, at position {position}',
    zh: 'Base64 在第 {position} 个字符处提前结束',
  },
  halfCharacter: {
    en: 'Half a character at position {position}',
    zh: '第 {position} 个字符不完整',
  },
  notEditable: {
    en: 'These bytes cannot be written as {format}. Hex and Base64 can hold them.',
    zh: '这些字节无法以“{format}”表示，可使用 Hex 或 Base64。',
  },
});

/** What is wrong, in the words of the operator. */
export function faultSentence(fault: PayloadFault, w: Words<typeof words>): string {
  switch (fault.kind) {
    case 'notUtf8':
      return w.notUtf8({ offset: fault.offset + 1 });
    case 'notJson':
    case 'jsonEnds':
      return w[fault.kind]({ line: fault.line, column: fault.column });
    case 'notHex':
    case 'notBase64':
      return w[fault.kind]({ position: fault.position, character: visibleText(fault.character) });
    default:
      return w[fault.kind]({ position: fault.position });
  }
}
