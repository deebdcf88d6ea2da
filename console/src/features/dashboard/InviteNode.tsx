import { cluster, type Node, nodes } from '@mqdeck/contract/nodes';
import * as z from 'zod/mini';
import { request } from '../../api/request.ts';
import { FormDrawer } from '../../form/FormDrawer.tsx';
import { Text } from '../../form/fields.tsx';
import { useWords } from '../../i18n/words.ts';
import { toast } from '../../ui/toast.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { memberWords } from './member-words.ts';

const EXAMPLE = 'emqx@10.0.0.7';
const NODE_NAME = /^[^\s@/]+@[^\s@/]+$/;

const Invitation = z.object({ node: z.string() });
/** Who is invited stands in the path, and a form fills a body. */
const inviteForm = { ...cluster.invite, body: Invitation };

/** Asks a node that runs on its own to join the cluster. */
export function InviteNode({
  opened,
  onClose,
  members,
}: {
  opened: boolean;
  onClose: () => void;
  members: readonly Node[];
}) {
  const w = useWords(memberWords);
  return (
    <FormDrawer
      title={w.invite}
      opened={opened}
      onClose={onClose}
      endpoint={inviteForm}
      initial={{ node: '' }}
      words={memberWords}
      submitLabel={w.invite}
      toBody={({ node }) => ({ node: String(node).trim() })}
      keep={(body) => request(cluster.invite, { params: Invitation.parse(body) }, { quiet: true })}
      faultOf={({ message }) => (message === 'nodedown' ? { field: 'node', text: w.nodeDown } : undefined)}
      refresh={[nodes.list]}
      onDone={(_, body) => toast('good', w.invited({ node: visibleText(Invitation.parse(body).node) }))}
    >
      <p>{w.inviteText}</p>
      <Text
        name="node"
        mono
        required
        autoComplete="off"
        placeholder={EXAMPLE}
        check={(value) => {
          const node = String(value ?? '').trim();
          if (node === '') return null;
          if (!NODE_NAME.test(node)) return w.nodeFault({ example: EXAMPLE });
          if (members.some((one) => one.node === node)) return w.nodeThere({ node: visibleText(node) });
          return null;
        }}
      />
    </FormDrawer>
  );
}
