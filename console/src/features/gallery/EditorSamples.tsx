import { useState } from 'react';
import { CodeEditor } from '../../editor/CodeEditor.tsx';
import type { Suggest } from '../../editor/languages.ts';
import type { Problem } from '../../editor/problem.ts';
import { Panel } from '../../ui/Page.tsx';
import styles from './GalleryPage.module.css';

const SQL =
  "SELECT password_hash, salt -- of one user\n  FROM mqtt_user\n  WHERE username = ${username} AND n > 12 AND note = 'x' LIMIT 1";
const JSON_TEXT = '{\n  "username": "${username}",\n  "limits": [1, 2.5, true, null],\n}';
const ACL = [
  '%% Who may do what',
  '{allow, {username, {re, "^dashboard$"}}, subscribe, ["$SYS/#"]}.',
  '{allow, {ipaddr, "127.0.0.1"}, all, ["$SYS/#", "#"]}.',
  '{deny, all, subscribe, ["$SYS/#", {eq, "#"}]}.',
  '{allow, all, {publish, [{qos, 1}, {retain, false}]}, ["devices/${clientid}/up"]}.',
  'something else',
].join('\n');
const found: readonly Problem[] = [
  { line: 6, text: 'A rule begins with {allow or {deny' },
  {
    line: 3,
    column: 26,
    endColumn: 29,
    severity: 'warning',
    text: 'Publishing and subscribing, to anything',
  },
];
const names = ['username', 'clientid', 'peerhost'];
const suggest: Suggest = (before) => {
  const typed = /\$\{?\w*$/.exec(before)?.[0] ?? '';
  return {
    length: typed.length,
    suggestions: names.map((name) => ({ label: `\${${name}}`, detail: 'of the client' })),
  };
};

/** Every language of the editor; with problems, suggestions, and one that only shows. */
export function EditorSamples() {
  const [sql, setSql] = useState(SQL);
  const [json, setJson] = useState(JSON_TEXT);
  const [acl, setAcl] = useState(ACL);
  return (
    <Panel title="Editor">
      <div className={styles.fields}>
        <CodeEditor label="SQL" language="sql" size="small" value={sql} onChange={setSql} suggest={suggest} />
        <CodeEditor label="JSON" language="json" size="small" value={json} onChange={setJson} />
        <CodeEditor label="ACL" language="acl" value={acl} onChange={setAcl} found={found} />
        <CodeEditor label="Read only" language="acl" value={ACL} onChange={() => undefined} readOnly />
        <CodeEditor
          label="Plain"
          language="plain"
          size="small"
          value=""
          onChange={() => undefined}
          placeholder="GET device:${clientid}"
        />
      </div>
    </Panel>
  );
}
