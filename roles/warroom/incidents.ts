import { defineRole, param, type Capabilities, type Failure } from "#sdk";
import { z } from "zod";

type Acted = ReturnType<Capabilities["incidents"]["ack"]>;

/** The incident's id; people write it among other words. */
const incidentId = () => param.rest().describe("the incident, such as A-142");
const Incident = z.object({
  id: z.string(),
  state: z.enum(["firing", "acked", "silenced", "resolved"]),
  isFlapping: z.boolean(),
  severity: z.enum(["crit", "warn", "info"]),
  kind: z.string(),
  agent: z.string(),
  target: z.string(),
  summary: z.string(),
  since: z.string(),
  resolvedAt: z.string().nullable(),
  ackedBy: z.string().nullable(),
  silencedUntil: z.string().nullable(),
});
/** `isShown`: the incident's own message shows it, so that no answer in the chat is needed. */
const Done = z.object({ incident: z.string(), isShown: z.boolean() });

/** Says what is firing, and takes people's word that they are on it. */
export default defineRole({
  requires: ["incidents"],
  commands: {
    alerts: {
      description: {
        en: "What is firing, the worst first",
        de: "Was gerade Alarm schlägt, das Schlimmste zuerst",
      },
      prompts: {
        en: [
          "what is firing?",
          "are there any alerts?",
          "which incidents are open?",
          "what is still down?",
          "what alarms are there?",
          "show me the open incidents",
        ],
        de: [
          "was schlägt Alarm?",
          "gibt es Alarme?",
          "welche Vorfälle sind offen?",
          "was ist noch kaputt?",
          "welche Störungen gibt es gerade?",
          "zeig mir die offenen Vorfälle",
        ],
      },
      data: z.object({ incidents: z.array(Incident) }),
      run({ incidents }) {
        return { text: incidents.overview(), data: { incidents: [...incidents.open()] } };
      },
    },

    incident: {
      description: {
        en: "All that is known of an incident, with what happened to it",
        de: "Alles über einen Vorfall, mit allem, was mit ihm geschah",
      },
      prompts: {
        en: [
          "tell me about incident A-142",
          "details of A-142",
          "what happened with A-142?",
          "show incident A-142",
        ],
        de: [
          "erzähl mir von Vorfall A-142",
          "Einzelheiten zu A-142",
          "was war mit A-142?",
          "zeig den Vorfall A-142",
        ],
      },
      params: z.object({ id: incidentId() }),
      data: z.object({ incident: Incident }),
      run({ incidents }, { id }) {
        const found = incidents.details(id);
        if (found === undefined) return notFound();
        return { text: found.text, data: { incident: found.view } };
      },
    },

    ack: {
      description: {
        en: "Take an incident on: it is repeated no more",
        de: "Einen Vorfall übernehmen: er wird nicht mehr wiederholt",
      },
      prompts: {
        en: [
          "ack A-142",
          "acknowledge A-142",
          "I am on A-142",
          "I take A-142",
          "I am looking after incident A-142",
        ],
        de: [
          "bestätige A-142",
          "ich kümmere mich um A-142",
          "ich übernehme A-142",
          "ich bin an A-142 dran",
          "quittiere A-142",
        ],
      },
      params: z.object({ id: incidentId(), by: param.asker() }),
      data: Done,
      effect: "change",
      access: "operator",
      run: ({ incidents }, { id, by }) => answer(incidents.ack(id, by)),
    },

    silence: {
      description: {
        en: "Silence an incident for a while; it says so when that is over and it still fires",
        de: "Einen Vorfall eine Weile stumm schalten; er meldet sich, wenn er danach noch besteht",
      },
      prompts: {
        en: ["silence A-142 for 2 hours", "mute A-142 for 30 min", "be quiet about A-142 for 4 h"],
        de: [
          "A-142 für 2 Stunden stumm schalten",
          "schalte A-142 für 30 min stumm",
          "Ruhe mit A-142 für 4 h",
        ],
      },
      params: z.object({
        id: incidentId(),
        duration: param.durationMs().describe("for how long, such as 2 h"),
        by: param.asker(),
      }),
      data: Done,
      effect: "change",
      access: "operator",
      run: ({ incidents }, { id, duration, by }) => answer(incidents.silence(id, duration, by)),
    },

    unsilence: {
      description: {
        en: "End the silence of an incident",
        de: "Einen stumm geschalteten Vorfall wieder melden lassen",
      },
      prompts: {
        en: ["unsilence A-142", "end the silence of A-142", "unmute A-142"],
        de: ["A-142 nicht mehr stumm schalten", "beende die Ruhe bei A-142", "A-142 wieder laut"],
      },
      params: z.object({ id: incidentId(), by: param.asker() }),
      data: Done,
      effect: "change",
      access: "operator",
      run: ({ incidents }, { id, by }) => answer(incidents.unsilence(id, by)),
    },

    incident_press: {
      description: {
        en: "What a button under an incident's message says",
        de: "Was ein Knopf unter der Meldung eines Vorfalls sagt",
      },
      params: z.object({ token: z.string().max(64), by: param.asker() }),
      data: Done,
      effect: "change",
      access: "operator",
      run: ({ incidents }, { token, by }) => answer(incidents.press(token, by)),
    },
  },
});

function answer(acted: Acted) {
  if ("failure" in acted) return { ...acted };
  const { text, incident, isShown } = acted;
  return { text, isShown, data: { incident, isShown } };
}

function notFound(): Failure {
  return { failure: "E_NOT_FOUND", text: "There is no such incident; /alerts lists what is open." };
}
